import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { etcdProcess } from './etcd.ts'
import { type EtcdAdmin, etcdAdmin } from './etcd-admin.ts'
import { freePorts } from './free-ports.ts'
import { type PeerProxy, startPeerProxy } from './peer-proxy.ts'
import type { OwnedProcess } from './store-process.ts'
import { eventually } from './waiting.ts'

export interface EtcdMember extends OwnedProcess {
  readonly url: string
  readonly admin: EtcdAdmin
  /** Cuts it off from the other members. Clients reach it. */
  partition(): Promise<void>
  heal(): void
}

export interface EtcdCluster {
  readonly members: readonly EtcdMember[]
  /** Addresses of all members, for `--etcd-servers`. */
  readonly urls: string
  /** Resolves with the leader, according to the members that respond. */
  leader(): Promise<EtcdMember>
  stop(): Promise<void>
}

/** An etcd of three members, which reach each other through proxies. */
export async function startEtcdCluster(binary: string): Promise<EtcdCluster> {
  const dir = mkdtempSync(join(tmpdir(), 'etcd-cluster-'))
  const ids = [0, 1, 2]
  const ports = await Promise.all(
    ids.map(async () => ({ client: await freePorts.take(), peer: await freePorts.take(), metrics: await freePorts.take() })),
  )
  const proxies: PeerProxy[] = []
  for (const { peer } of ports) proxies.push(await startPeerProxy(peer))
  const initial = ids.map(id => `m${id}=${proxies[id]!.url}`).join(',')
  const members = ports.map(({ client, peer, metrics }, id): EtcdMember => {
    const url = `http://127.0.0.1:${client}`
    const health = `http://127.0.0.1:${metrics}`
    const flags = [
      ...['--name', `m${id}`, '--data-dir', join(dir, `m${id}`), '--listen-client-urls', url, '--advertise-client-urls', url],
      ...[
        '--listen-peer-urls',
        `http://127.0.0.1:${peer}`,
        '--initial-advertise-peer-urls',
        proxies[id]!.url,
        '--initial-cluster',
        initial,
      ],
      ...['--logger', 'zap', '--log-level', 'error', '--log-outputs', '/dev/null', '--listen-metrics-urls', health],
    ]
    const admin = etcdAdmin(url)
    return {
      ...etcdProcess(binary, flags, health),
      url,
      admin,
      async partition() {
        const { member } = await admin.status()
        for (const proxy of proxies) proxy.cut(proxy === proxies[id] ? undefined : BigInt(member).toString(16))
      },
      heal() {
        for (const proxy of proxies) proxy.heal()
      },
    }
  })
  await Promise.all(members.map(member => member.start()))
  return {
    members,
    urls: members.map(({ url }) => url).join(','),
    async leader() {
      let leader: EtcdMember | undefined
      await eventually('a member leads', async () => {
        const states = await Promise.all(members.map(async each => ({ each, status: await each.admin.status().catch(() => undefined) })))
        leader = states.find(({ status }) => status !== undefined && status.member === status.leader)?.each
        return leader !== undefined
      })
      return leader as EtcdMember
    },
    async stop() {
      for (const member of members) await member.stop()
      for (const proxy of proxies) await proxy.close()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
