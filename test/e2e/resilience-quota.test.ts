import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { type EtcdServer, findEtcd, startEtcd } from '../support/etcd.ts'
import { createJsonClient, type JsonClient } from '../support/json-client.ts'
import { createServerProcess, type ServerProcess } from '../support/server-process.ts'
import { eventually } from '../support/waiting.ts'

const CREATORS = 64
const KILLS = 2
const LOAD_MS = 700
/** Pause of a creator after a connection that failed. A server takes a second to start, for which it needs the processor. */
const AWAY_MS = 200
const LIMIT = 30
const NAMESPACE = '/api/v1/namespaces/limited'
const CONFIG_MAPS = `${NAMESPACE}/configmaps`

async function limitNamespace(client: JsonClient): Promise<void> {
  await client.must('POST', '/api/v1/namespaces', { metadata: { name: 'limited' } })
  await eventually('the first config map', async () => (await client.ask('GET', `${CONFIG_MAPS}/kube-root-ca.crt`)).status === 200)
  const hard = { configmaps: `${LIMIT}`, 'count/configmaps': `${LIMIT}` }
  await client.must('POST', `${NAMESPACE}/resourcequotas`, { metadata: { name: 'q' }, spec: { hard } })
  await eventually('the quota is counted', async () => (await usedOf(client)) !== undefined)
}

const usedOf = async (client: JsonClient): Promise<Record<string, string> | undefined> =>
  (await client.must('GET', `${NAMESPACE}/resourcequotas/q`)).status.used

const namesOf = async (client: JsonClient): Promise<string[]> =>
  (await client.must('GET', CONFIG_MAPS)).items.map((item: { metadata: { name: string } }) => item.metadata.name)

interface Counts {
  created: number
  refused: number
}

/**
 * Creates objects and sometimes deletes one, until the signal aborts. Without room it deletes an object of its own, so
 * that there is room again after a kill.
 */
async function create(client: JsonClient, creator: number, until: AbortSignal, counts: Counts): Promise<void> {
  const mayBeThere: string[] = []
  for (let n = 0; !until.aborted; n++) {
    const name = `c${creator}-${n}`
    const { status } = await client.ask('POST', CONFIG_MAPS, { body: { metadata: { name } } })
    if (status === 201) counts.created++
    if (status === 403) counts.refused++
    if (status === 0) await sleep(AWAY_MS)
    if (status !== 403) mayBeThere.push(name)
    const gone = n % 2 === creator % 2 || status === 403 ? mayBeThere.shift() : undefined
    if (gone !== undefined) await client.ask('DELETE', `${CONFIG_MAPS}/${gone}`)
  }
}

/**
 * kill -9 of the server, again and again, while many create and delete: at no time is there more than the quota allows,
 * and in the end it says what there is.
 */
async function keepQuota(server: ServerProcess): Promise<void> {
  const client = createJsonClient(server.url)
  const end = new AbortController()
  try {
    await server.start()
    await limitNamespace(client)
    const counts: Counts = { created: 0, refused: 0 }
    const creators = Array.from({ length: CREATORS }, (_, i) => create(client, i, end.signal, counts))
    for (let kill = 0; kill <= KILLS; kill++) {
      for (const until = performance.now() + LOAD_MS; performance.now() < until; )
        expect(await namesOf(client)).to.have.length.at.most(LIMIT)
      if (kill === KILLS) break
      await server.kill()
      await server.start()
    }
    await eventually('more were created than fit at once, and some were refused', () => counts.created > LIMIT && counts.refused > 0)
    end.abort()
    await Promise.all(creators)
    await eventually('the quota says what there is', async () => {
      const there = `${(await namesOf(client)).length}`
      const used = await usedOf(client)
      return used?.configmaps === there && used['count/configmaps'] === there
    })
    expect(await namesOf(client)).to.have.length.at.most(LIMIT)
  } finally {
    end.abort()
    client.close()
    await server.stop()
  }
}

describe('resilience: quotas', () => {
  it('are never exceeded during kills, and are recounted, on the embedded store', async () => keepQuota(await createServerProcess()))

  const etcdFound = findEtcd() !== undefined
  ;(etcdFound ? it : it.skip)(`nor on etcd${etcdFound ? '' : ' (skipped: there is no etcd here; hack/etcd installs one)'}`, async () => {
    const etcd: EtcdServer = await startEtcd()
    try {
      await keepQuota(await createServerProcess(['--etcd-servers', etcd.url]))
    } finally {
      await etcd.stop()
    }
  })
})
