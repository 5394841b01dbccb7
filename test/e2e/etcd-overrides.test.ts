import { expect } from 'chai'
import { silentLogger } from '../../src/lib/log.ts'
import { openEtcd } from '../../src/storage/etcd/open-etcd.ts'
import { prefixEnd } from '../../src/storage/key-range.ts'
import { key } from '../../src/storage/revision.ts'
import type { AnyObject } from '../support/any-object.ts'
import { type EtcdServer, findEtcd, startEtcd } from '../support/etcd.ts'
import { createJsonClient, type JsonClient } from '../support/json-client.ts'
import { type ResumingWatch, watchResuming } from '../support/resuming-watch.ts'
import { createServerProcess, type ServerProcess } from '../support/server-process.ts'
import { patience } from '../support/waiting.ts'

const EVENTS = '/api/v1/namespaces/default/events'
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments'
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'

const event = (name: string) => ({
  metadata: { name },
  involvedObject: { kind: 'Pod', namespace: 'default', name: 'p' },
  reason: 'Tried',
  type: 'Normal',
})
const deployment = (name: string) => ({
  metadata: { name },
  spec: {
    selector: { matchLabels: { a: 'b' } },
    template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  },
})

const nameOf = ({ metadata }: AnyObject): string => metadata.name ?? ''

const isFound = findEtcd() !== undefined
const onEtcd = isFound ? describe : describe.skip

onEtcd(`resources in stores of their own${isFound ? '' : ' (skipped: there is no etcd here; hack/etcd installs one)'}`, () => {
  let main: EtcdServer
  let other: EtcdServer
  let server: ServerProcess
  let client: JsonClient
  let watch: ResumingWatch | undefined

  /** Names of the keys that an etcd holds below a prefix. */
  async function keysOf(etcd: EtcdServer, prefix: string): Promise<string[]> {
    const backend = await openEtcd({ servers: [etcd.url] }, silentLogger)
    try {
      const start = key(prefix)
      const { items } = await backend.range({ start, end: prefixEnd(start) }, patience())
      return items.map(item => item.key)
    } finally {
      await backend.close()
    }
  }

  before(async () => {
    ;[main, other] = await Promise.all([startEtcd(), startEtcd()])
    server = await createServerProcess([
      '--etcd-servers',
      main.url,
      '--etcd-servers-overrides',
      `/events#${other.url},apps/deployments#${other.url}`,
    ])
    await server.start()
    client = createJsonClient(server.url)
  })
  after(async () => {
    watch?.stop()
    client?.close()
    await server?.stop()
    await main?.stop()
    await other?.stop()
  })

  it('are written only to their etcd', async () => {
    await client.must('POST', EVENTS, event('one'))
    await client.must('POST', DEPLOYMENTS, deployment('one'))
    await client.must('POST', CONFIG_MAPS, { metadata: { name: 'one' } })
    expect(await keysOf(other, '/')).to.include.members(['/registry/deployments/default/one', '/registry/events/default/one'])
    expect((await keysOf(other, '/')).filter(name => !/^\/registry\/(events|deployments)\//.test(name))).to.deep.equal([])
    expect(await keysOf(main, '/registry/events/')).to.deep.equal([])
    expect(await keysOf(main, '/registry/configmaps/default/')).to.include('/registry/configmaps/default/one')
  })

  it('are read in each version, listed consistently, and watched with the revisions of their store', async () => {
    for (let i = 0; i < 20; i++) await client.must('POST', CONFIG_MAPS, { metadata: { name: `filler-${i}` } })
    const list = await client.must('GET', DEPLOYMENTS)
    const configMaps = await client.must('GET', CONFIG_MAPS)
    expect(Number(list.metadata.resourceVersion)).to.be.lessThan(Number(configMaps.metadata.resourceVersion))
    watch = watchResuming(server.url, DEPLOYMENTS, String(list.metadata.resourceVersion))
    await client.must('POST', DEPLOYMENTS, deployment('two'))
    await client.must('POST', '/apis/events.k8s.io/v1/namespaces/default/events', {
      metadata: { name: 'two' },
      eventTime: '2026-01-01T00:00:00.000000Z',
      reportingController: 'c.example.com/c',
      reportingInstance: 'c-1',
      action: 'Trying',
      reason: 'Tried',
      type: 'Normal',
      regarding: { kind: 'Pod', namespace: 'default', name: 'p' },
    })
    await watch.until('two', 30_000)
    expect(watch.events.map(({ type, name }) => [type, name])).to.deep.equal([['ADDED', 'two']])
    expect((await client.must('GET', DEPLOYMENTS)).items.map(nameOf)).to.deep.equal(['one', 'two'])
    const names = (await client.must('GET', EVENTS)).items.map(nameOf)
    expect(names).to.include.members(['one', 'two'])
  })

  it('have their size in the metrics, and their members in the list of components', async () => {
    const metrics = await (await fetch(`${server.url}/metrics`)).text()
    for (const store of ['etcd-0', 'etcd-1'])
      expect(metrics).to.match(new RegExp(`^apiserver_storage_size_bytes\\{storage_cluster_id="${store}"\\} [1-9]`, 'm'))
    const objects = (name: string) => new RegExp(`^apiserver_storage_objects\\{resource="${name}"\\} ([0-9]+)`, 'm').exec(metrics)?.[1]
    expect(Number(objects('deployments.apps'))).to.equal(2)
    const { items } = await client.must('GET', '/api/v1/componentstatuses')
    expect(items.map(nameOf)).to.include.members(['etcd-0', 'etcd-1'])
  })

  it('are unavailable with their store, while other resources and readiness stay', async () => {
    await other.kill()
    expect((await client.ask('POST', CONFIG_MAPS, { body: { metadata: { name: 'meanwhile' } } })).status).to.equal(201)
    expect((await client.ask('GET', '/readyz')).status).to.equal(200)
    const report = await (await fetch(`${server.url}/readyz?verbose`)).text()
    expect(report).to.include('[-]etcd-1 failed: the store of events, deployments.apps does not respond; readiness does not wait for it\n')
    expect(report).to.include('[+]etcd-readiness ok\n')
    await other.start()
    await client.must('POST', EVENTS, event('after'))
    expect((await client.must('GET', `${EVENTS}/after`)).metadata.name).to.equal('after')
    for (const store of ['etcd', 'etcd-1'])
      expect(await (await fetch(`${server.url}/readyz?verbose`)).text()).to.include(`\n[+]${store} ok: a watch over `)
  })

  it('persist over a kill of the server', async () => {
    await server.kill()
    await server.start()
    const { items } = await client.must('GET', DEPLOYMENTS)
    expect(items).to.have.length(2)
    expect((await client.must('GET', `${EVENTS}/after`)).reason).to.equal('Tried')
  })
})
