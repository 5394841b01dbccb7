import { expect } from 'chai'
import { type Logger, silentLogger } from '../../../../src/lib/log.ts'
import { type Backend, BackendError } from '../../../../src/storage/backend.ts'
import type { Cacher } from '../../../../src/storage/cacher/cacher-types.ts'
import { openEtcd } from '../../../../src/storage/etcd/open-etcd.ts'
import { keyAfter, prefixEnd } from '../../../../src/storage/key-range.ts'
import { type Key, key, type Revision, revision } from '../../../../src/storage/revision.ts'
import type { ListQuery } from '../../../../src/storage/storage.ts'
import { codeOf, never } from '../../../support/backend.ts'
import { batchesOf } from '../../../support/batches.ts'
import { findEtcds, startEtcd } from '../../../support/etcd.ts'
import { type RunningStore, usualStoreSetups } from '../../../support/etcd-setups.ts'
import { openCacher, testResource } from '../../../support/test-cacher.ts'
import { everything, testCodec, testKey, testObject, testPrefix } from '../../../support/test-codec.ts'
import { eventually } from '../../../support/waiting.ts'

const TEXTS = {
  progress: 'a watch over /registry/ with its progress',
  revisions: 'a watch over all keys without a gap in their revisions',
  events: 'a watch over /registry/ without progress: consistent reads are served by the store',
}

// To one cache the store of single resources is an etcd of its own.
for (const setup of usualStoreSetups().filter(({ use }) => use !== 'overrides'))
  describe(`watch cache that follows ${setup.name}`, () => {
    let store: RunningStore
    let backend: Backend
    /** Another program with other keys. */
    let other: Backend
    let cacher: Cacher
    let lines: string[]

    before(async () => {
      store = await setup.start()
      backend = await openEtcd(store.options, silentLogger)
      other = await openEtcd(store.administrator ?? store.options, silentLogger)
    })
    after(async () => {
      await backend?.close()
      await other?.close()
      await store?.stop()
    })
    beforeEach(async () => {
      lines = []
      const logger: Logger = { ...silentLogger, info: (line, fields) => void lines.push(`${line}: ${fields?.by}`) }
      // Long enough for a busy machine: a read that waits in vain is served by the store.
      cacher = openCacher(backend, { logger, revisionWaitMs: 60_000 })
      await cacher.synced(never)
      // Before that, a read waits for its revision even if the watch will not show it.
      await eventually('the watch is open', () => cacher.following() !== undefined)
    })
    afterEach(() => cacher.close())

    let names = 0
    const put = async (by: Backend, at: Key, value: string): Promise<Revision> => {
      const { item } = await by.get(at, never)
      return (await by.write({ key: at, expected: item?.modRevision ?? 0, value: Buffer.from(value) }, never)).revision
    }
    /** Writes like another server with the same prefix. */
    const create = async (name = `n${++names}`): Promise<string> => {
      await backend.write({ key: testKey(name), expected: 0, value: testCodec.encode(testObject(name)) }, never)
      return name
    }
    const foreign = () => put(other, key('/foreign/key'), String(++names))
    const list = (query: Partial<ListQuery> = {}) =>
      cacher.storageFor('configmaps').list(testPrefix, { at: 'latest', predicate: everything, limit: 0, ...query }, never)
    const namesIn = async (query: Partial<ListQuery> = {}) => (await list(query)).items.map(item => item.attributes().name)

    it('logs once how it follows the store', async () => {
      expect(cacher.following()).to.equal(TEXTS[setup.following])
      expect(lines).to.deep.equal([`following the store: ${TEXTS[setup.following]}`])
    })

    it('serves consistent reads after writes of others, to its own keys and to foreign ones', async () => {
      for (let i = 0; i < 20; i++) {
        const name = await create()
        const at = await foreign()
        const page = await list()
        expect(page.items.map(item => item.attributes().name)).to.include(name)
        expect(page.revision).to.be.at.least(at)
        expect((await cacher.storageFor('configmaps').get(testKey(name), 'latest', never))?.attributes().name).to.equal(name)
      }
      const { relists, fallbacks, resources } = cacher.stats()
      const { consistent } = resources[0]!.counts
      expect({ relists, fallbacks, failed: consistent.failed }).to.deep.equal({ relists: 0, fallbacks: 0, failed: 0 })
      if (setup.following === 'events') expect(consistent.store).to.be.greaterThan(0)
      else expect(consistent.store).to.equal(0)
    })

    it('serves reads at the revision of a foreign write, and at an earlier one', async () => {
      const name = await create()
      const at = await foreign()
      expect(await namesIn({ at: { notOlderThan: at } })).to.include(name)
      const later = await foreign()
      expect(await namesIn({ at: { exactly: later } })).to.include(name)
      await create()
      expect(await namesIn({ at: { exactly: at } })).to.deep.equal(await namesIn({ at: { exactly: later } }))
    })

    it('delivers every change to a watch once and in order while others write', async () => {
      const { revision: after } = await list()
      const watcher = await cacher
        .storageFor('configmaps')
        .watch(testPrefix, { start: { after }, predicate: everything, bookmarks: false }, never)
      const seen: string[] = []
      const watching = (async () => {
        for await (const batch of batchesOf(watcher))
          for (const event of batch) if (event.type !== 'bookmark') seen.push(event.object.attributes().name)
      })()
      const created: string[] = []
      for (let i = 0; i < 50; i++) {
        created.push(await create())
        await foreign()
      }
      await eventually('all are seen', () => seen.length >= created.length)
      watcher.close()
      await watching
      expect(seen).to.deep.equal(created)
    })

    it('reads the range of one key, also at an earlier revision and in pages', async () => {
      const keys = ['one', 'one-b', 'onea'].map(name => key(`/registry/single/${name}`))
      for (const at of keys) await put(backend, at, at)
      const at = await backend.currentRevision(never)
      await foreign()
      for (const query of [{}, { at }, { limit: 1 }, { at, limit: 1 }])
        for (const start of keys) {
          const { items, more } = await backend.range({ start, end: keyAfter(start), ...query }, never)
          expect({ keys: items.map(item => item.key), more }).to.deep.equal({ keys: [start], more: false })
        }
    })

    it('loads a resource that is added later', async () => {
      await put(backend, key('/registry/pods/default/a'), testCodec.encode(testObject('a')).toString())
      await foreign()
      const storage = cacher.addResource({ ...testResource, name: 'pods', prefix: key('/registry/pods/') })
      await eventually('the state is there', () => storage.count() === 1)
      cacher.removeResource('pods')
    })

    if (setup.following === 'progress' && setup.use !== 'shared')
      it('requests progress only while a reader waits', async () => {
        await create()
        await list()
        await eventually('the cache is there', async () => cacher.stats().revision >= (await backend.currentRevision(never)))
        const before = cacher.stats().progressRequests
        for (let i = 0; i < 20; i++) await list()
        expect(cacher.stats().progressRequests).to.equal(before)
        await foreign()
        await list()
        expect(cacher.stats().progressRequests).to.be.greaterThan(before)
      })

    if (setup.following !== 'progress')
      it('refuses watches that need trustworthy progress', async () => {
        const watch = backend.watch({ start: testPrefix, end: prefixEnd(testPrefix), from: revision(1), progress: true }, never)
        expect(await codeOf(watch[Symbol.asyncIterator]().next())).to.equal('unavailable')
      })

    if (setup.use === 'tenant')
      it('is denied access outside its prefix, including compaction', async () => {
        expect(await codeOf(backend.get(key('/foreign/key'), never))).to.equal('denied')
        expect(await codeOf(backend.compact(await backend.currentRevision(never), never))).to.equal('denied')
        await backend.check(never)
        expect(await backend.size(never)).to.be.greaterThan(0)
      })

    if (setup.use === 'own')
      it('is compacted by one server per interval', async () => {
        const second = await openEtcd(store.options, silentLogger)
        const isCompacted = async (at: Revision) =>
          backend.get(testKey('x'), never, at).then(
            () => false,
            (error: unknown) => error instanceof BackendError && error.code === 'compacted',
          )
        const [first, mid, last] = [await foreign(), await foreign(), await foreign()]
        await backend.compact(mid, never)
        expect(await isCompacted(first)).to.equal(true)
        // The first server has compacted since `last` was the newest revision.
        await second.compact(last, never)
        expect(await isCompacted(mid)).to.equal(false)
        const next = await foreign()
        await second.compact(next, never)
        expect(await isCompacted(last)).to.equal(true)
        await backend.compact(await foreign(), never)
        expect(await isCompacted(next)).to.equal(false)
        await second.close()
      })
  })

describe('etcds of two versions', () => {
  it('are followed in the way that the older version requires', async function () {
    const [newer, older] = [
      findEtcds().find(({ version }) => !version.startsWith('3.4.')),
      findEtcds().find(({ version }) => version.startsWith('3.4.')),
    ]
    if (newer === undefined || older === undefined) this.skip()
    const servers = [await startEtcd([], newer.path), await startEtcd([], older.path)]
    const proofOf = async (urls: readonly string[]) => {
      const backend = await openEtcd({ servers: urls }, silentLogger)
      const proof = await backend.watchProof?.(never)
      await backend.close()
      return proof
    }
    const [first, second] = servers.map(({ url }) => url) as [string, string]
    expect([await proofOf([first]), await proofOf([second]), await proofOf([first, second]), await proofOf([second, first])]).to.deep.equal(
      ['progress', 'revisions', 'revisions', 'revisions'],
    )
    expect(await proofOf([first, 'http://127.0.0.1:1'])).to.equal('progress')
    for (const server of servers) await server.stop()
  })
})
