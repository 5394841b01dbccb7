import { setMaxListeners } from 'node:events'
import { expect } from 'chai'
import { BackendError, type BackendEvent, type WatchProof } from '../../../../src/storage/backend.ts'
import type { Cacher, CacherOptions } from '../../../../src/storage/cacher/cacher-types.ts'
import { keyspaceStart } from '../../../../src/storage/key-range.ts'
import { key, type Revision } from '../../../../src/storage/revision.ts'
import type { ListQuery, ReadAt } from '../../../../src/storage/storage.ts'
import { batchesOf } from '../../../support/batches.ts'
import { MemoryBackend } from '../../../support/memory-backend.ts'
import { openCacher, testResource } from '../../../support/test-cacher.ts'
import { everything, take, testCodec, testKey, testObject, testPrefix, told } from '../../../support/test-codec.ts'
import { eventually, turns } from '../../../support/waiting.ts'

const { signal } = new AbortController()
setMaxListeners(0, signal)

describe('storage/cacher/reflector', () => {
  let backend: MemoryBackend
  let cacher: Cacher
  const followedBy = (proof: WatchProof) => {
    backend.watchProof = async () => proof
  }
  /** The user may read the prefix alone. */
  const denyOthers = () => {
    backend.denies = ({ start }) => start === keyspaceStart
  }
  const open = async (options: CacherOptions = {}) => {
    cacher = openCacher(backend, options)
    await cacher.synced(signal)
    await eventually('the watch is open', () => cacher.following() !== undefined)
  }
  const seed = (name: string) => backend.apply([{ key: testKey(name), value: testCodec.encode(testObject(name)) }])
  const foreign = () => backend.apply([{ key: key('/foreign/x'), value: Buffer.from('x') }])
  const list = (query: Partial<ListQuery> = {}) =>
    cacher.storageFor('configmaps').list(testPrefix, { at: 'latest', predicate: everything, limit: 0, ...query }, signal)
  const names = async (at: ReadAt = 'latest') => (await list({ at })).items.map(item => item.attributes().name)
  const ranges = () => backend.watches.map(({ start, end }) => [start, end])
  const consistent = () => cacher.stats().resources[0]!.counts.consistent
  const lose = (name: string) => {
    backend.lose = (event: BackendEvent) => event.key === testKey(name)
    seed(name)
    backend.lose = () => false
  }

  beforeEach(() => {
    backend = new MemoryBackend()
  })
  afterEach(async () => {
    await cacher.close()
    await backend.close()
  })

  it('watches all keys of a store without progress, and logs nothing about it', async () => {
    cacher = openCacher(backend)
    await eventually('a watch', () => backend.watches.length > 0)
    expect(ranges()).to.deep.equal([['\0', '\0']])
    expect(cacher.following()).to.equal(undefined)
  })

  describe('with progress', () => {
    beforeEach(() => followedBy('progress'))

    it('shows no part of a revision while its values are decoded in turns', async () => {
      cacher = openCacher(backend, {}, { ...testCodec, prepare: () => turns(3) })
      await cacher.synced(signal)
      await eventually('the watch is open', () => cacher.following() !== undefined)
      backend.apply(['a', 'b'].map(name => ({ key: testKey(name), value: testCodec.encode(testObject(name)) })))
      const seen = new Set<number>()
      while (!seen.has(2)) {
        seen.add((await names('any')).length)
        await turns(1)
      }
      expect([...seen]).to.deep.equal([0, 2])
    })

    it('watches only the prefix', async () => {
      await open()
      expect(ranges()).to.deep.equal([['/registry/', '/registry0']])
    })

    it('watches the prefix that it is given', async () => {
      await open({ prefix: key('/tenant/') })
      expect(ranges()).to.deep.equal([['/tenant/', '/tenant0']])
    })

    it('requests progress for readers behind changes of keys that it does not watch', async () => {
      await open()
      seed('a')
      const at = foreign()
      expect(await names()).to.deep.equal(['a'])
      expect(cacher.stats().revision).to.be.at.least(at)
      expect(await names({ notOlderThan: foreign() })).to.deep.equal(['a'])
      expect(await names({ exactly: foreign() })).to.deep.equal(['a'])
      expect(consistent()).to.deep.equal({ cache: 1, store: 0, failed: 0 })
    })

    it('does not treat a missing revision as a loss', async () => {
      await open()
      for (const each of ['a', 'b']) {
        foreign()
        seed(each)
      }
      expect(await names()).to.deep.equal(['a', 'b'])
      expect(cacher.stats()).to.deep.include({ relists: 0, fallbacks: 0 })
    })

    it('finds a lost change by comparison with the store, counts it and reloads the resource', async () => {
      seed('a')
      await open({ consistencyCheckMs: 20 })
      const after = (await list()).revision
      const watcher = await cacher
        .storageFor('configmaps')
        .watch(testPrefix, { start: { after }, predicate: everything, bookmarks: false }, signal)
      lose('b')
      const { checks } = cacher.stats().resources[0]!.counts
      await eventually('the loss is found', () => checks.failure > 0)
      await eventually('the state is there', async () => (await names()).length === 2)
      expect(await take(batchesOf(watcher), 1).catch((error: { code: string }) => error.code)).to.equal('expired')
      const { success } = checks
      await eventually('they agree again', () => checks.success > success)
    })

    it('reloads the state if a change comes after progress that has passed it', async () => {
      await open({ consistencyCheckMs: 3_600_000, recheckMs: 3_600_000 })
      const after = (await list()).revision
      const watcher = await cacher
        .storageFor('configmaps')
        .watch(testPrefix, { start: { after }, predicate: everything, bookmarks: false }, signal)
      lose('b')
      expect(await names({ notOlderThan: foreign() })).to.deep.equal([])
      backend.deliverLate(testKey('b'))
      await eventually('the state is there', async () => (await names('any')).length === 1)
      expect(await take(batchesOf(watcher), 1).catch((error: { code: string }) => error.code)).to.equal('expired')
      expect(cacher.stats().relists).to.equal(1)
    })

    it('skips changes before the start of the watch', async () => {
      seed('a')
      await open()
      backend.deliverLate(testKey('a'))
      seed('b')
      expect(await names()).to.deep.equal(['a', 'b'])
      expect(cacher.stats().relists).to.equal(0)
    })

    it('soon finds a change that was lost when the watch was first opened', async () => {
      backend.lose = (event: BackendEvent) => event.key === testKey('b')
      await open({ consistencyCheckMs: 3_600_000, recheckMs: 20 })
      seed('b')
      const { checks } = cacher.stats().resources[0]!.counts
      await eventually('the loss is found', () => checks.failure > 0)
      await eventually('the state is there', async () => (await names('any')).length === 1)
    })

    it('soon finds a change that was lost when the watch was reopened, before the next regular comparison', async () => {
      await open({ consistencyCheckMs: 3_600_000, recheckMs: 20 })
      const { checks } = cacher.stats().resources[0]!.counts
      backend.lose = (event: BackendEvent) => event.key === testKey('b')
      backend.down = true
      await eventually('the watch has ended', () => backend.watches.length === 0)
      seed('b')
      backend.down = false
      await eventually('the loss is found', () => checks.failure > 0)
      await eventually('the state is there', async () => (await names('any')).length === 1)
    })

    it('soon compares again if the store could not be compared after the watch was opened', async () => {
      backend.lose = (event: BackendEvent) => event.key === testKey('b')
      await open({ consistencyCheckMs: 3_600_000, recheckMs: 20 })
      seed('b')
      const { checks } = cacher.stats().resources[0]!.counts
      const { range } = backend
      backend.range = async () => {
        throw new BackendError('timeout', 'the store is busy')
      }
      await eventually('a comparison has failed', () => checks.error > 0)
      backend.range = range
      await eventually('the loss is found', () => checks.failure > 0)
    })

    it('compares with the present state of the store, even if other keys were compacted meanwhile', async () => {
      seed('a')
      await open({ consistencyCheckMs: 20 })
      const { checks } = cacher.stats().resources[0]!.counts
      const at = foreign()
      await backend.compact(at, signal)
      const before = checks.success + checks.error
      await eventually('a comparison that had begun has ended', () => checks.success + checks.error > before)
      const { success, error } = checks
      await eventually('they agree', () => checks.success > success + 1)
      expect(checks.error).to.equal(error)
    })
  })

  describe('without progress, if the user may read all keys', () => {
    beforeEach(() => followedBy('revisions'))

    it('watches all keys, and treats a missing revision as a loss', async () => {
      await open()
      expect(ranges()).to.deep.equal([['\0', '\0']])
      lose('a')
      seed('b')
      await eventually('the state is read anew', () => cacher.stats().relists === 1)
      expect(await names()).to.deep.equal(['a', 'b'])
    })

    it('switches to the prefix when all members report progress', async () => {
      seed('a')
      await open({ consistencyCheckMs: 20 })
      followedBy('progress')
      await eventually('the watch is over the prefix', () => backend.watches.some(({ start }) => start === '/registry/'))
      seed('b')
      foreign()
      expect(await names()).to.deep.equal(['a', 'b'])
      expect(cacher.stats().relists).to.equal(0)
    })
  })

  describe('without progress, if the user may read only the prefix', () => {
    beforeEach(() => {
      followedBy('revisions')
      denyOthers()
    })

    it('watches the prefix, and serves reads at later revisions from the store', async () => {
      await open()
      expect(ranges()).to.deep.equal([['/registry/', '/registry0']])
      seed('a')
      foreign()
      expect(await names()).to.deep.equal(['a'])
      expect(await names({ notOlderThan: foreign() })).to.deep.equal(['a'])
      expect(await names({ exactly: foreign() })).to.deep.equal(['a'])
      expect(consistent().store).to.equal(1)
      expect(cacher.stats()).to.deep.include({ relists: 0, fallbacks: 0 })
    })

    it('feeds watches from the cache', async () => {
      await open()
      const watcher = await cacher
        .storageFor('configmaps')
        .watch(testPrefix, { start: { initial: 'any', bookmarkAtEnd: false }, predicate: everything, bookmarks: false }, signal)
      const at = seed('a')
      expect(told(await take(batchesOf(watcher), 1))).to.deep.equal([`added a@${at}`])
      expect(backend.calls.watch).to.equal(2)
    })

    it('loads a resource that is added later, even if its revision is compacted', async () => {
      await open()
      backend.apply([{ key: key('/registry/pods/default/a'), value: testCodec.encode(testObject('a')) }])
      await eventually('the event has come', () => cacher.stats().revision === backend.revision)
      await backend.compact(foreign(), signal)
      const storage = cacher.addResource({ ...testResource, name: 'pods', prefix: key('/registry/pods/') })
      await eventually('the state is there', () => storage.count() === 1)
    })
  })

  describe('with a store that is restored from an older copy', () => {
    const modes: Record<string, () => void> = {
      progress: () => followedBy('progress'),
      revisions: () => followedBy('revisions'),
      events() {
        followedBy('revisions')
        denyOthers()
      },
    }
    for (const [mode, follow] of Object.entries(modes))
      describe(`followed by ${mode}`, () => {
        beforeEach(follow)

        const watched = async () => {
          const copy = seed('kept')
          await open({ consistencyCheckMs: 3_600_000, recheckMs: 20 })
          const after = (await list()).revision
          const watcher = await cacher
            .storageFor('configmaps')
            .watch(testPrefix, { start: { after }, predicate: everything, bookmarks: false }, signal)
          const last = seed('undone')
          expect(told(await take(batchesOf(watcher), 1))).to.deep.equal([`added undone@${last}`])
          return { copy, last, watcher }
        }
        const codeOfEnd = (watcher: Parameters<typeof batchesOf>[0]) =>
          take(batchesOf(watcher), 1).then(told, (error: { code: string }) => error.code)
        const restore = async ({ copy, watcher }: Awaited<ReturnType<typeof watched>>) => {
          backend.restore(copy)
          expect(await codeOfEnd(watcher)).to.equal('expired')
        }
        /** Resumes a watch. Resolves with its first event, or the code of the error. */
        const resumed = async (after: number) => {
          const query = { start: { after: after as Revision }, predicate: everything, bookmarks: false }
          return cacher
            .storageFor('configmaps')
            .watch(testPrefix, query, signal)
            .then(codeOfEnd, (error: { code: string }) => error.code)
        }

        it('ends watches as expired and shows the restored state', async () => {
          const { copy, last, watcher } = await watched()
          backend.restore(copy)
          expect(await codeOfEnd(watcher)).to.equal('expired')
          expect(await names('any')).to.deep.equal(['kept'])
          expect(cacher.stats()).to.deep.include({ relists: 1, revision: copy })
          expect(await names({ notOlderThan: last }).catch((error: { code: string }) => error.code)).to.equal('too large revision')
        })

        it('refuses to resume from a revision that the store has not reached again', async () => {
          const before = await watched()
          await restore(before)
          expect(await resumed(before.last)).to.equal('expired')
          const now = seed('other')
          expect(await resumed(now + 1)).to.equal('expired')
          expect(await resumed(now - 1)).to.deep.equal([`added other@${now}`])
        })

        it('refuses to resume from an ambiguous revision once the store has passed the lost ones', async () => {
          const before = await watched()
          seed('also undone')
          await take(batchesOf(before.watcher), 1)
          await restore(before)
          const again = seed('other')
          // The newest list may have this revision: a client has to get on from there.
          const seen = resumed(again)
          await eventually('it is watched', () => cacher.stats().resources[0]!.watchers === 1)
          const last = seed('another')
          expect(await seen).to.deep.equal([`added another@${last}`])
          const now = seed('passed')
          await names()
          expect([await resumed(again), await resumed(last)]).to.deep.equal(['expired', 'expired'])
          seed('new')
          expect(await resumed(now)).to.deep.equal([`added new@${now + 1}`])
        })

        it('notices the copy while readers keep finding it behind', async () => {
          const { copy, watcher } = await watched()
          let over = false
          backend.before = async () => turns(2)
          backend.restore(copy)
          const readers = Array.from({ length: 4 }, async () => {
            while (!over) await names().catch(() => turns(1))
          })
          expect(await codeOfEnd(watcher)).to.equal('expired')
          over = true
          await Promise.all(readers)
        })

        it('serves no consistent list from a cache that is ahead of the store', async () => {
          const { copy } = await watched()
          backend.restore(copy)
          // The reflector opens the watch again only after a pause.
          await eventually('the store answers', () => !backend.down)
          expect(await names()).to.deep.equal(['kept'])
        })

        it('notices a copy with as many revisions by the change that it lacks', async () => {
          const { copy, watcher } = await watched()
          backend.restore(copy)
          seed('other')
          expect(await codeOfEnd(watcher)).to.equal('expired')
          expect(await names('any')).to.deep.equal(['kept', 'other'])
          expect(cacher.stats().relists).to.equal(1)
        })

        it('notices a copy in which another value was written to the same key', async () => {
          const { copy, watcher } = await watched()
          backend.restore(copy)
          backend.apply([{ key: testKey('undone'), value: testCodec.encode(testObject('undone', { written: 'again' })) }])
          expect(await codeOfEnd(watcher)).to.equal('expired')
          expect(cacher.stats().relists).to.equal(1)
        })

        it('finds differences by comparison if no change since the load shows them', async () => {
          const copy = seed('kept')
          seed('undone')
          await open({ consistencyCheckMs: 3_600_000, recheckMs: 20 })
          backend.restore(copy)
          seed('other')
          await eventually('the state is there', async () => (await names('any')).join() === 'kept,other')
        })

        it('reloads nothing if the store has its last change', async () => {
          await watched()
          backend.down = true
          await eventually('the watch has ended', () => backend.watches.length === 0)
          backend.down = false
          await eventually('the watch is open', () => backend.watches.length === 1)
          expect(cacher.stats().relists).to.equal(0)
        })
      })
  })
})
