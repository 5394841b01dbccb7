/** Operations of an administrator on etcd, over its JSON gateway. */
export interface EtcdAdmin {
  /** The newest revision. */
  revision(): Promise<number>
  compact(revision: number): Promise<void>
  defragment(): Promise<void>
  /** Ends all alarms. */
  disarm(): Promise<void>
  /** Ids of the member and of its leader. */
  status(): Promise<{ readonly member: string; readonly leader: string }>
  /** Has the leader, which this has to be, hand over to another member. */
  moveLeader(to: string): Promise<void>
}

/** `url`: of a member without TLS. */
export function etcdAdmin(url: string): EtcdAdmin {
  const call = async (path: string, body: object): Promise<unknown> => {
    const response = await fetch(`${url}/v3/${path}`, { method: 'POST', body: JSON.stringify(body) })
    const text = await response.text()
    if (!response.ok) throw new Error(`etcd refuses ${path}: ${text}`)
    return JSON.parse(text)
  }
  const status = () =>
    call('maintenance/status', {}) as Promise<{
      readonly header: { readonly member_id: string; readonly revision: string }
      readonly leader: string
    }>
  return {
    revision: async () => Number((await status()).header.revision),
    compact: async revision => void (await call('kv/compaction', { revision, physical: true })),
    defragment: async () => void (await call('maintenance/defragment', {})),
    async disarm() {
      const { alarms = [] } = (await call('maintenance/alarm', {})) as { readonly alarms?: readonly object[] }
      for (const alarm of alarms) await call('maintenance/alarm', { action: 'DEACTIVATE', ...alarm })
    },
    async status() {
      const { header, leader } = await status()
      return { member: header.member_id, leader }
    },
    moveLeader: async to => void (await call('maintenance/transfer-leadership', { targetID: to })),
  }
}
