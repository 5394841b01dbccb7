import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { systemClock } from '../../../../src/lib/clock.ts'
import { silentLogger } from '../../../../src/lib/log.ts'
import type { Backend } from '../../../../src/storage/backend.ts'
import type { Cacher } from '../../../../src/storage/cacher/cacher-types.ts'
import { openEmbedded } from '../../../../src/storage/embedded/open-embedded.ts'
import { keyAfter } from '../../../../src/storage/key-range.ts'
import type { Revision } from '../../../../src/storage/revision.ts'
import { key } from '../../../../src/storage/revision.ts'
import type { ReadAt, Storage, StorageError, StorageEvent } from '../../../../src/storage/storage.ts'
import { batchesOf } from '../../../support/batches.ts'
import { MemoryBackend } from '../../../support/memory-backend.ts'
import { openCacher } from '../../../support/test-cacher.ts'
import { everything, plus, put, testKey, testObject, testPrefix } from '../../../support/test-codec.ts'

/** Prefix of the namespace that `testKey` uses. */
const namespacePrefix = key(testKey('a').slice(0, -1))
const signal = new AbortController().signal
const backends: [name: string, open: () => Promise<Backend>][] = [
  ['in memory', async () => new MemoryBackend()],
  [
    'embedded',
    async () => {
      const dir = mkdtempSync(join(tmpdir(), 'embedded-'))
      after(() => rmSync(dir, { recursive: true, force: true }))
      return openEmbedded({ dir }, systemClock, silentLogger)
    },
  ],
]

/** Source of a read, determined by counting the calls of the store. */
type Source = 'cache' | 'store'
const gates = [
  { consistentReads: true, exactReads: true },
  { consistentReads: true, exactReads: false },
  { consistentReads: false, exactReads: true },
  { consistentReads: false, exactReads: false },
] as const

const reads: [name: string, at: (now: Revision) => ReadAt, sources: readonly [Source, Source, Source, Source]][] = [
  ['latest', () => 'latest', ['cache', 'cache', 'store', 'store']],
  ['any', () => 'any', ['cache', 'cache', 'cache', 'cache']],
  ['not older than', now => ({ notOlderThan: now }), ['cache', 'cache', 'cache', 'cache']],
  ['exactly', now => ({ exactly: plus(now, -1) }), ['cache', 'store', 'cache', 'store']],
]

for (const [name, open] of backends)
  describe(`reads through the watch cache by their gates, ${name}`, () => {
    let backend: Backend
    let cacher: Cacher
    let storage: Storage
    let now: Revision
    let asked = 0

    for (const [index, options] of gates.entries())
      describe(`consistentReads ${options.consistentReads}, exactReads ${options.exactReads}`, () => {
        before(async () => {
          backend = await open()
          const { range, get } = backend
          backend.range = (...args) => {
            asked++
            return range.apply(backend, args)
          }
          backend.get = (...args) => {
            asked++
            return get.apply(backend, args)
          }
          cacher = openCacher(backend, options)
          await cacher.synced(signal)
          storage = cacher.storageFor('configmaps')
          for (const each of ['a', 'b', 'c'])
            now = (await storage.write(testKey(each), put(testObject(each)), signal, 'absent')).object.revision
          await storage.list(testPrefix, { at: { notOlderThan: now }, predicate: everything, limit: 0 }, signal)
        })
        after(async () => {
          await cacher.close()
          await backend.close()
        })

        for (const [what, at, sources] of reads)
          it(`${what}: from the ${sources[index]}`, async () => {
            asked = 0
            const page = await storage.list(testPrefix, { at: at(now), predicate: everything, limit: 0 }, signal)
            expect(asked > 0 ? 'store' : 'cache', 'list').to.equal(sources[index])
            expect(page.items.map(item => item.attributes().name)).to.deep.equal(what === 'exactly' ? ['a', 'b'] : ['a', 'b', 'c'])
            asked = 0
            expect((await storage.get(testKey('a'), at(now), signal))?.attributes().name).to.equal('a')
            expect(asked > 0 ? 'store' : 'cache', 'get').to.equal(sources[index])
          })

        it('exactly, of dropped history: from the store', async () => {
          const exactly = plus(now, -1)
          cacher.forget(now)
          asked = 0
          const page = await storage.list(testPrefix, { at: { exactly }, predicate: everything, limit: 0 }, signal)
          expect([page.items.length, asked > 0]).to.deep.equal([2, true])
          const watcher = await storage.watch(testPrefix, { start: { after: exactly }, predicate: everything, bookmarks: false }, signal)
          const [batch] = [(await batchesOf(watcher).next()).value as readonly StorageEvent[]]
          expect(batch?.map(({ type, revision }) => [type, revision])).to.deep.equal([['added', now]])
          watcher.close()
        })

        it('one object exactly: from the store, which refuses future revisions', async () => {
          const query = { predicate: { ...everything, everything: false, name: 'a' }, limit: 0 }
          asked = 0
          const page = await storage.list(namespacePrefix, { at: { exactly: plus(now, -1) }, ...query }, signal)
          expect([page.items.length, asked > 0]).to.deep.equal([1, true])
          const future = storage.list(namespacePrefix, { at: { exactly: plus(now, 1000) }, ...query }, signal)
          expect(await future.catch(error => (error as StorageError).code)).to.equal('future revision')
        })

        it(`the second page: from the ${options.exactReads ? 'cache' : 'store'}, at the revision of the first`, async () => {
          const first = await storage.list(testPrefix, { at: 'latest', predicate: everything, limit: 2 }, signal)
          expect(first.nextKey).to.equal(keyAfter(testKey('b')))
          await storage.write(testKey('d'), put(testObject('d')), signal, 'absent')
          asked = 0
          const rest = await storage.list(
            testPrefix,
            {
              at: { exactly: first.revision },
              predicate: everything,
              limit: 0,
              ...(first.nextKey !== undefined && { startKey: first.nextKey }),
            },
            signal,
          )
          expect(asked > 0 ? 'store' : 'cache').to.equal(options.exactReads ? 'cache' : 'store')
          expect(rest.items.map(item => item.attributes().name)).to.deep.equal(['c'])
        })
      })
  })
