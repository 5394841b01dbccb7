import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { fewStoreSetups, type RunningStore, type StoreSetup } from '../support/etcd-setups.ts'
import { foreignClient } from '../support/foreign-client.ts'
import { foreignKeys, valuesOf } from '../support/foreign-keys.ts'
import { createJsonClient, type JsonClient } from '../support/json-client.ts'
import { configMap } from '../support/load.ts'
import { type RecordedMessage, type RecordingProxy, startRecordingProxy } from '../support/recording-etcd-proxy.ts'
import { watchResuming } from '../support/resuming-watch.ts'
import { createServerProcess, type ServerProcess } from '../support/server-process.ts'
import { eventually } from '../support/waiting.ts'

const PREFIX = '/t0500'
/** Of others: a thousand servers, and keys that sort or begin as those of the prefix. */
const NEIGHBOURS = [
  ...Array.from({ length: 1000 }, (_, n) => `/t${String(n).padStart(4, '0')}/configmaps/default/a`).filter(
    key => !key.startsWith(`${PREFIX}/`),
  ),
  ...[
    '/t0500',
    '/t0500!',
    '/t0500-b/pods/default/a',
    '/t05000/pods/default/a',
    '/t050/pods/default/a',
    '/registry/pods/default/a',
    'a',
    '/',
    '\u{10ffff}',
  ],
]
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'
/** More than a page of the store. */
const OBJECTS = 520

/** The fields that a request has: `key`, `success.put.value`. */
function fieldsOf(message: unknown, path: string[] = []): string[] {
  if (Array.isArray(message)) return message.flatMap(each => fieldsOf(each, path))
  if (typeof message !== 'object' || message === null) return [path.join('.')]
  const entries = Object.entries(message)
  return entries.length === 0 && path.length > 0
    ? [path.join('.')]
    : entries.flatMap(([name, each]) => fieldsOf(each, [...path, name.replace(/^request_/, '')]))
}

/** A row of the table of calls. */
interface DocumentedCall {
  readonly row: string
  readonly call: string
  readonly required: readonly string[]
  readonly optional: readonly string[]
}

function documentedCalls(): DocumentedCall[] {
  const page = readFileSync(new URL('../../docs/how-to/kine.md', import.meta.url), 'utf8')
  return [...page.matchAll(/^\| `([A-Z]\w+\/\w+)` \|([^|]*)\|([^|]*)\|/gm)].map(([row, call = '', required = '', optional = '']) => {
    const names = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
    return { row, call, required: names(required), optional: names(optional) }
  })
}

const isOf = ({ call, message }: RecordedMessage, row: DocumentedCall): boolean => {
  const fields = fieldsOf(message)
  return (
    call === row.call &&
    row.required.every(name => fields.includes(name)) &&
    fields.every(name => row.required.includes(name) || row.optional.includes(name))
  )
}

/** Makes requests of every kind. Returns a revision before all of them. */
async function useServer({ url }: ServerProcess, client: JsonClient): Promise<string> {
  const { metadata: begin } = await client.must('GET', CONFIG_MAPS)
  const watch = watchResuming(url, CONFIG_MAPS, begin.resourceVersion ?? '')
  for (let i = 0; i < OBJECTS; i += 20)
    await Promise.all(Array.from({ length: 20 }, (_, n) => client.must('POST', CONFIG_MAPS, configMap(`c${i + n}`, { a: '1' }))))
  const first = await client.must('GET', `${CONFIG_MAPS}?limit=10`)
  const { continue: token = '' } = first.metadata as { continue?: string }
  await client.must('GET', `${CONFIG_MAPS}?limit=10&continue=${encodeURIComponent(token)}`)
  const at = String(first.metadata.resourceVersion)
  await client.must('POST', '/api/v1/namespaces/default/events', {
    metadata: { name: 'e' },
    involvedObject: { kind: 'Pod', namespace: 'default', name: 'p' },
    reason: 'Tried',
    type: 'Normal',
  })
  const merge = { contentType: 'application/merge-patch+json', body: { data: { a: '2' } } }
  expect((await client.ask('PATCH', `${CONFIG_MAPS}/c0`, merge)).status).to.equal(200)
  for (const query of ['', '?resourceVersion=0', `?resourceVersion=${at}`, `?resourceVersion=${at}&resourceVersionMatch=Exact`])
    for (const path of [CONFIG_MAPS, '/api/v1/pods', '/api/v1/namespaces'])
      expect((await client.ask('GET', path + query)).status).to.equal(200)
  await readMoment(client)
  await client.must('GET', '/api/v1/componentstatuses')
  await fetch(`${url}/metrics`).then(answer => answer.text())
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
  await client.must('POST', definitions, {
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      names: { plural: 'widgets', kind: 'Widget' },
      scope: 'Cluster',
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  })
  await eventually(
    'the kind is served',
    async () =>
      (
        await client.ask('POST', '/apis/example.com/v1/widgets', {
          body: { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'a' } },
        })
      ).status === 201,
    50,
  )
  await client.must('POST', '/api/v1/namespaces', { metadata: { name: 'short' } })
  await client.must('DELETE', '/api/v1/namespaces/short')
  await client.must('DELETE', `${definitions}/widgets.example.com`)
  await client.must('DELETE', CONFIG_MAPS)
  await eventually('the namespace has gone', async () => (await client.ask('GET', '/api/v1/namespaces/short')).status === 404, 50)
  await eventually(
    'the definition has gone',
    async () => (await client.ask('GET', `${definitions}/widgets.example.com`)).status === 404,
    50,
  )
  await client.must('POST', CONFIG_MAPS, configMap('end', {}))
  await watch.until('end', 60_000)
  watch.stop()
  return begin.resourceVersion ?? ''
}

/**
 * Reads an object as it was before a change. Repeated with another change if the store was compacted in between, as it
 * is every second.
 */
async function readMoment(client: JsonClient): Promise<void> {
  const path = `${CONFIG_MAPS}/c0`
  let changes = 2
  await eventually('an object is read as of a moment', async () => {
    const { metadata, data } = await client.must('GET', path)
    changes++
    const merge = { contentType: 'application/merge-patch+json', body: { data: { a: String(changes) } } }
    expect((await client.ask('PATCH', path, merge)).status).to.equal(200)
    const { status, body } = await client.ask('GET', `/binnacle/at/${metadata.resourceVersion}${path}`)
    if (status === 200) expect(body.data).to.deep.equal(data)
    return status === 200
  })
}

/** Databases of kine that store only keys of printable ASCII, and paths. */
const PLAIN_KEYS = ['kine-mysql', 'kine-nats']

async function putNeighbours(store: RunningStore, id: string): Promise<void> {
  const client = foreignClient(store.options)
  try {
    const left = [...NEIGHBOURS.entries()].filter(([, name]) => !PLAIN_KEYS.includes(id) || /^(\/[\w-]+)+$/.test(name))
    // Several at once: the store syncs its log once for all of them.
    const lane = async (): Promise<void> => {
      for (let next = left.pop(); next; next = left.pop()) {
        const [n, name] = next
        const key = Buffer.from(name)
        const absent = { key, target: 'Mod', result: 'Equal', mod_revision: '0' } as const
        await client.kv.txn({ compare: [absent], success: [{ request_put: { key, value: Buffer.from(`secret ${n}`) } }] })
      }
    }
    await Promise.all(Array.from({ length: 50 }, lane))
  } finally {
    client.close()
  }
}

/** A watch over all keys is what proves that nothing is lost where progress cannot be trusted. */
const setups = fewStoreSetups(PREFIX).filter(({ use, following }) => (use === 'own' || use === 'kine') && following === 'progress')

describe('the calls of a server to its store', function () {
  this.timeout(1_200_000)
  if (setups.length === 0) it.skip('are recorded (skipped: no etcd with trustworthy progress is installed)', () => {})
  for (const setup of setups) describe(`on ${setup.name}`, () => callsOn(setup))
})

function callsOn(setup: StoreSetup): void {
  let store: RunningStore
  let proxy: RecordingProxy
  const servers: ServerProcess[] = []

  before(async () => {
    store = await setup.start()
    await putNeighbours(store, setup.id)
    proxy = await startRecordingProxy(store.options.servers[0] ?? '')
    const flags = ['--etcd-servers', proxy.url, '--etcd-prefix', PREFIX, '--moments=2']
    const compacting = '--etcd-compaction-interval=1s'
    for (const more of [
      [compacting],
      [compacting, '--workers=2'],
      ['--feature-gates=ConsistentListFromCache=false,ListFromCacheSnapshot=false'],
    ])
      servers.push(await createServerProcess([...flags, ...more]))
    let before = ''
    for (const server of servers) {
      await server.start()
      const client = createJsonClient(server.url)
      before = await useServer(server, client)
      for (const path of [`${CONFIG_MAPS}/end`, '/api/v1/namespaces/default/events/e']) await client.must('DELETE', path)
      client.close()
      await server.kill()
    }
    // It has no history in memory, and the store has it.
    const again = servers.at(-1) as ServerProcess
    await again.start()
    const old = watchResuming(again.url, CONFIG_MAPS, before)
    await old.until('end', 60_000)
    old.stop()
    await eventually('the cache is compared with the store', () => proxy.requests.some(({ message }) => message.keys_only === true), 200)
  })
  after(async () => {
    for (const server of servers) await server.stop()
    proxy?.close()
    await store?.stop()
  })

  it('use no key outside the prefix but compact_rev_key', () => {
    expect(proxy.requests.length).to.be.above(2 * OBJECTS)
    expect([...new Set(proxy.requests.flatMap(request => foreignKeys(request, PREFIX)))]).to.deep.equal([])
  })

  it('return nothing of other prefixes', () => {
    expect([...new Set(proxy.responses.flatMap(response => foreignKeys(response, PREFIX)))]).to.deep.equal([])
    const values = proxy.responses.flatMap(valuesOf)
    expect(values.length).to.be.above(2 * OBJECTS)
    expect(values.filter(value => value.startsWith('secret '))).to.deep.equal([])
  })

  it('match the documentation', () => {
    const rows = documentedCalls()
    const others = proxy.requests.filter(request => !rows.some(row => isOf(request, row)))
    expect([...new Set(others.map(({ call, message }) => `${call}: ${fieldsOf(message).join(' ')}`))]).to.deep.equal([])
    expect(rows.filter(row => !proxy.requests.some(request => isOf(request, row))).map(({ row }) => row)).to.deep.equal([])
  })
}
