import { expect } from 'chai'
import { seededRandom } from '../../src/lib/seeded-random.ts'
import type { AnyObject } from '../support/any-object.ts'
import { type EtcdServer, findEtcd, startEtcd } from '../support/etcd.ts'
import { createJsonClient, type JsonClient } from '../support/json-client.ts'
import { configMap } from '../support/load.ts'
import { watchResuming } from '../support/resuming-watch.ts'
import { createServerProcess, type ServerProcess } from '../support/server-process.ts'

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'
const WRITERS = 8
/** `$WRITERS_SECONDS=30` for longer. */
const SECONDS = Number(process.env.WRITERS_SECONDS ?? 2)
const PATIENCE_MS = 120_000

type Data = Record<string, string>

/** A request that writes the data, with a given resource version as precondition. */
interface Way {
  readonly method: string
  readonly contentType: string
  readonly query?: string
  body(name: string, data: Data, resourceVersion: string | undefined): unknown
}

const whole = (name: string, data: Data, resourceVersion: string | undefined) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...(resourceVersion !== undefined && { resourceVersion }) },
  data,
})
const fields = (_: string, data: Data, resourceVersion: string | undefined) => ({
  ...(resourceVersion !== undefined && { metadata: { resourceVersion } }),
  data,
})

const WAYS: readonly Way[] = [
  { method: 'PUT', contentType: 'application/json', body: whole },
  { method: 'PATCH', contentType: 'application/merge-patch+json', body: fields },
  { method: 'PATCH', contentType: 'application/strategic-merge-patch+json', body: fields },
  { method: 'PATCH', contentType: 'application/apply-patch+yaml', query: '?fieldManager=writer&force=true', body: whole },
  {
    method: 'PATCH',
    contentType: 'application/json-patch+json',
    body: (_, data, resourceVersion) => [
      ...(resourceVersion === undefined ? [] : [{ op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion }]),
      { op: 'replace', path: '/data', value: data },
    ],
  },
]

interface Done {
  readonly resourceVersion: string
  readonly data: Data
}

interface Outcome {
  /** Accepted writes, by resource version. */
  readonly done: readonly Done[]
  /** Data of the rejected writes. */
  readonly refused: readonly Data[]
  /** Events of the object after its creation. */
  readonly events: readonly Done[]
  readonly last: AnyObject
}

/** All writers write one object, in ways chosen by chance, until the time is over. */
async function write(client: JsonClient, url: string, name: string, versions: boolean): Promise<Outcome> {
  const path = `${CONFIG_MAPS}/${name}`
  const created = await client.must('POST', CONFIG_MAPS, configMap(name, { n: '0', by: 'nobody' }))
  const watch = watchResuming(url, CONFIG_MAPS, created.metadata.resourceVersion ?? '')
  const done: Done[] = []
  const refused: Data[] = []
  const until = Date.now() + SECONDS * 1000
  const writer = async (id: number): Promise<void> => {
    const random = seededRandom(id + 1)
    for (let turn = 0; Date.now() < until; turn++) {
      const now = await client.must('GET', path)
      const data = { n: `${Number(now.data.n) + 1}`, by: `${id}-${turn}` }
      const way = WAYS[Math.floor(random() * WAYS.length)] as Way
      const options = { body: way.body(name, data, versions ? now.metadata.resourceVersion : undefined), contentType: way.contentType }
      const { status, body } = await client.ask(way.method, `${path}${way.query ?? ''}`, options)
      if (status === 200) {
        expect(body.data, way.contentType).to.deep.equal(data)
        done.push({ resourceVersion: body.metadata.resourceVersion ?? '', data })
      } else {
        expect([status, body.reason], `${way.contentType}: ${JSON.stringify(body)}`).to.deep.equal([409, 'Conflict'])
        refused.push(data)
      }
    }
  }
  try {
    await Promise.all(Array.from({ length: WRITERS }, (_, id) => writer(id)))
    await client.must('POST', CONFIG_MAPS, configMap(`${name}-end`, {}))
    await watch.until(`${name}-end`, PATIENCE_MS)
    expect(watch.faults).to.deep.equal([])
    const events = watch.events.filter(event => event.name === name).map(({ resourceVersion, data = {} }) => ({ resourceVersion, data }))
    return {
      done: done.sort((a, b) => Number(a.resourceVersion) - Number(b.resourceVersion)),
      refused,
      events,
      last: await client.must('GET', path),
    }
  } finally {
    watch.stop()
  }
}

function eightWriters(start: () => Promise<ServerProcess>): void {
  let server: ServerProcess
  let client: JsonClient
  before(async () => {
    server = await start()
    await server.start()
    client = createJsonClient(server.url)
  })
  after(async () => {
    client?.close()
    await server?.stop()
  })

  it('with resource versions: every write with a 200 takes effect, and none with a 409', async () => {
    const { done, refused, events, last } = await write(client, server.url, 'counter', true)
    expect(refused.length).to.be.above(0)
    expect(new Set(done.map(({ resourceVersion }) => resourceVersion)).size).to.equal(done.length)
    expect(done.map(({ data }) => data.n)).to.deep.equal(done.map((_, i) => `${i + 1}`))
    expect(events).to.deep.equal(done)
    expect(last.data.n).to.equal(`${done.length}`)
  })

  it('without resource versions: no write is rejected, and the last one wins', async () => {
    const { done, refused, events, last } = await write(client, server.url, 'race', false)
    expect(refused).to.deep.equal([])
    expect(new Set(done.map(({ resourceVersion }) => resourceVersion)).size).to.equal(done.length)
    expect(events).to.deep.equal(done)
    expect(last.data).to.deep.equal(done.at(-1)?.data)
  })
}

describe('eight writers of one object', function () {
  this.timeout(300_000 + 4000 * SECONDS)
  describe('on the embedded store', () => eightWriters(() => createServerProcess()))

  const etcdFound = findEtcd() !== undefined
  const onEtcd = etcdFound ? describe : describe.skip
  onEtcd(`on etcd${etcdFound ? '' : ' (skipped: there is no etcd here; hack/etcd installs one)'}`, () => {
    let etcd: EtcdServer
    after(() => etcd?.stop())
    eightWriters(async () => {
      etcd = await startEtcd()
      return createServerProcess(['--etcd-servers', etcd.url])
    })
  })
})
