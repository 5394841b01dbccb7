import { expect } from 'chai'
import { silentLogger } from '../../src/lib/log.ts'
import { type Backend, BackendError } from '../../src/storage/backend.ts'
import { openEtcd } from '../../src/storage/etcd/open-etcd.ts'
import { prefixEnd } from '../../src/storage/key-range.ts'
import { key } from '../../src/storage/revision.ts'
import type { AnyObject } from '../support/any-object.ts'
import { never } from '../support/backend.ts'
import { type ChangingStore, startChangingStore } from '../support/changing-store.ts'
import { type EtcdServer, findEtcds, startEtcd } from '../support/etcd.ts'
import { type EtcdAdmin, etcdAdmin } from '../support/etcd-admin.ts'
import { createJsonClient, type JsonClient } from '../support/json-client.ts'
import { configMap } from '../support/load.ts'
import { watchResuming } from '../support/resuming-watch.ts'
import { createServerProcess, type ServerProcess } from '../support/server-process.ts'
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'
import { eventually } from '../support/waiting.ts'

const COLLECTION = '/api/v1/namespaces/default/configmaps'
const STORED = key('/registry/configmaps/default/')
const QUOTA_BYTES = 24 << 20
const EVENT_MS = 60_000
const FOUND = findEtcds()

if (FOUND.length === 0)
  describe.skip('etcd that is maintained under a server (skipped: there is no etcd here; hack/etcd installs one)', () => {})
for (const { path, version } of FOUND)
  describe(`etcd ${version} under maintenance`, () => {
    let etcd: EtcdServer
    let admin: EtcdAdmin
    let direct: Backend
    /** Between the server and etcd. */
    let proxy: TcpProxy
    let server: ServerProcess
    let client: JsonClient
    let seed = 200

    before(async () => {
      etcd = await startEtcd(['--quota-backend-bytes', String(QUOTA_BYTES)], path)
      admin = etcdAdmin(etcd.url)
      direct = await openEtcd({ servers: [etcd.url] }, silentLogger)
      proxy = await startTcpProxy(etcd.url)
      server = await createServerProcess(['--etcd-servers', proxy.url, '--etcd-compaction-interval', '0'])
      await server.start()
      client = createJsonClient(server.url)
    })
    after(async () => {
      client?.close()
      await server?.stop()
      await proxy?.close()
      await direct?.close()
      await etcd?.stop()
    })

    const create = async (name: string): Promise<AnyObject> => client.must('POST', COLLECTION, configMap(name, {}))
    const createDirectly = async (name: string): Promise<void> => {
      await direct.write({ key: key(STORED + name), expected: 0, value: Buffer.from(JSON.stringify(configMap(name, {}))) }, never)
    }
    const list = async (query = ''): Promise<AnyObject> => client.must('GET', COLLECTION + query)
    const namesOf = ({ items }: AnyObject): string[] => (items as AnyObject[]).map(({ metadata }) => metadata.name ?? '')
    const stored = async (): Promise<string[]> =>
      (await direct.range({ start: STORED, end: prefixEnd(STORED), keysOnly: true }, never)).items.map(item =>
        item.key.slice(STORED.length),
      )
    /** Runs until the stream ends. Resolves with its last event. */
    const lastEvent = async (from: string): Promise<AnyObject> => {
      const text = await (await fetch(`${server.url}${COLLECTION}?watch=1&resourceVersion=${from}`)).text()
      return JSON.parse(text.trimEnd().split('\n').at(-1) ?? '')
    }
    const underLoad = async (maintain: () => Promise<void>): Promise<void> => {
      const store: ChangingStore = await startChangingStore(server.url, { servers: [etcd.url] }, ++seed)
      try {
        for (let i = 0; i < 4; i++) {
          await store.goesOn()
          await maintain()
        }
        await store.goesOn()
        await store.judge({ isCompacted: true })
      } finally {
        await store.close()
      }
    }

    it('compacted up to its newest revision: watches continue without losing events', () =>
      underLoad(async () => admin.compact(await admin.revision())))

    it('defragmented: watches continue without losing events', () => underLoad(() => admin.defragment()))

    it('compacted while a list is read in pages: the cache serves the next page, or 410 returns a new token', async () => {
      for (const name of ['a', 'b', 'c']) await create(name)
      const first = await list('?limit=1')
      const next = nextPage(first)
      // etcd keeps what the oldest revision that it still has wrote: a watch could begin right before that.
      for (const name of ['aa', 'd']) await create(name)
      await admin.compact(await admin.revision())
      expect(namesOf(await list(next))).to.deep.equal(['b'])
      await server.kill()
      await server.start()
      const { status, body } = await client.ask('GET', COLLECTION + next)
      expect([status, body.reason]).to.deep.equal([410, 'Expired'])
      expect(body.message).to.match(/^The provided continue parameter is too old to display a consistent list result\./)
      expect(namesOf(await list(nextPage(body)))).to.deep.equal(['aa'])
      const event = await lastEvent(first.metadata.resourceVersion ?? '')
      expect(event, 'a watch from the first page').to.have.nested.property('object.code', 410)
    })

    it('compacted beyond the revisions that the server has read: watches end with 410, and the next list is complete', async () => {
      const { metadata } = await create('before')
      const watched = lastEvent(metadata.resourceVersion ?? '')
      await eventually('it is watched', () => watchersOf(server.url))
      proxy.silence()
      for (let i = 0; i < 10; i++) await createDirectly(`unseen-${i}`)
      await admin.compact(await admin.revision())
      proxy.restore()
      expect(await watched)
        .to.deep.include({ type: 'ERROR' })
        .and.to.have.nested.property('object.code', 410)
      expect(namesOf(await list('?resourceVersion=0'))).to.deep.equal(await stored())
      expect(namesOf(await list())).to.deep.equal(await stored())
      expect(server.log()).to.match(/the watch of the store ended: .*is compacted/)
    })

    it('over its quota: writes fail as in kube-apiserver, reads and deletions succeed, and writes succeed again without a restart', async () => {
      const { metadata } = await create('first')
      const watch = watchResuming(server.url, COLLECTION, metadata.resourceVersion ?? '')
      await fill()
      const { status, body } = await client.ask('POST', COLLECTION, { body: configMap('refused', {}) })
      expect([status, body.code, body.reason, body.message]).to.deep.equal([
        500,
        500,
        undefined,
        'etcdserver: mvcc: database space exceeded',
      ])
      expect((await client.ask('PUT', `${COLLECTION}/first`, { body: configMap('first', { a: 'b' }) })).status).to.equal(500)
      expect(namesOf(await list())).to.deep.equal(await stored())
      expect((await client.ask('DELETE', `${COLLECTION}/first`)).status).to.equal(200)
      await watch.until('first', EVENT_MS)
      expect((await client.ask('GET', '/readyz')).status).to.equal(200)
      await makeRoom()
      await eventually(
        'writes succeed',
        async () => (await client.ask('POST', COLLECTION, { body: configMap('accepted', {}) })).status === 201,
      )
      await watch.until('accepted', EVENT_MS)
      watch.stop()
      expect(watch.faults).to.deep.equal([])
      expect(watch.events.map(({ type, name }) => `${type} ${name}`)).to.deep.equal(['DELETED first', 'ADDED accepted'])
      expect(server.log().split('etcd rejects writes except deletions').length - 1).to.equal(1)
      expect(server.log()).to.include('etcd accepts writes again')
    })

    /** Writes until etcd raises its alarm. */
    async function fill(): Promise<void> {
      const value = Buffer.alloc(1 << 20, 'x')
      for (let i = 0; ; i++) {
        const code = await direct.write({ key: key(`/fill/${i}`), expected: 0, value }, never).then(
          () => undefined,
          (error: unknown) => (error instanceof BackendError ? error.code : 'another error'),
        )
        if (code === undefined) continue
        expect(code).to.equal('no space')
        return
      }
    }

    async function makeRoom(): Promise<void> {
      const { items } = await direct.range({ start: key('/fill/'), end: key('/fill0'), keysOnly: true }, never)
      for (const item of items) await direct.write({ key: item.key, expected: item.modRevision }, never)
      await admin.compact(await admin.revision())
      await admin.defragment()
      await admin.disarm()
    }
  })

/** Query of the page after a list or a refusal. */
const nextPage = ({ metadata }: AnyObject): string =>
  `?limit=1&continue=${encodeURIComponent(String((metadata as { readonly continue?: string }).continue))}`

/** Whether a client watches ConfigMaps. */
async function watchersOf(url: string): Promise<boolean> {
  const text = await fetch(`${url}/metrics`).then(response => response.text())
  return /^apiserver_longrunning_requests\{[^}]*resource="configmaps"[^}]*\} [1-9]/m.test(text)
}
