import { setMaxListeners } from 'node:events'
import { expect } from 'chai'
import { steadyClock } from '../../../../src/lib/clock.ts'
import { BackendError, type BackendEvent } from '../../../../src/storage/backend.ts'
import { createCacher } from '../../../../src/storage/cacher/cacher.ts'
import type { Cacher, CacherOptions } from '../../../../src/storage/cacher/cacher-types.ts'
import { initializing } from '../../../../src/storage/errors.ts'
import { keyAfter, prefixEnd } from '../../../../src/storage/key-range.ts'
import { key, revision } from '../../../../src/storage/revision.ts'
import type { ListQuery, Storage, StorageEvent, StoredObject, WatchQuery } from '../../../../src/storage/storage.ts'
import { loose } from '../../../support/any-object.ts'
import { batchesOf } from '../../../support/batches.ts'
import { MemoryBackend } from '../../../support/memory-backend.ts'
import { openCacher, testLimits, testResource } from '../../../support/test-cacher.ts'
import { decided, everything, put, take, testCodec, testKey, testObject, testPrefix, told } from '../../../support/test-codec.ts'
import { eventually, turns } from '../../../support/waiting.ts'

const { signal } = new AbortController()
setMaxListeners(0, signal)
const pick = (from: object, names: string[]) => Object.fromEntries(names.map(name => [name, (from as Record<string, unknown>)[name]]))
const until = (condition: () => boolean): Promise<void> => eventually('it comes about', condition)

describe('storage/cacher', () => {
  let backend: MemoryBackend
  let cacher: Cacher
  let storage: Storage

  const open = async (options: CacherOptions = {}) => {
    cacher = openCacher(backend, options)
    storage = cacher.storageFor('configmaps')
    await cacher.synced(signal)
  }
  const write = (name: string, data: Record<string, string> = {}) => storage.write(testKey(name), put(testObject(name, data)), signal)
  const seed = (name: string, prefix = testPrefix) =>
    backend.apply([{ key: key(`${prefix}default/${name}`), value: testCodec.encode(testObject(name)) }])
  const names = async (at: 'any' | 'latest' = 'latest') =>
    (await storage.list(testPrefix, { at, predicate: everything, limit: 0 }, signal)).items.map(i => i.attributes().name)
  const watchAfter = async (after: number) =>
    batchesOf(await storage.watch(testPrefix, { start: { after: revision(after) }, predicate: everything, bookmarks: false }, signal))
  const codeOf = (what: Promise<unknown>) =>
    what.then(
      () => 'none',
      (error: { code: string }) => error.code,
    )

  beforeEach(() => {
    backend = new MemoryBackend()
  })
  afterEach(async () => {
    await cacher.close()
    await backend.close()
  })

  describe('the initial state', () => {
    it('is read in one range if the store is small', async () => {
      for (const each of ['a', 'b']) seed(each)
      cacher = createCacher(backend, [testResource, { ...testResource, name: 'pods', prefix: key('/registry/pods/') }], testLimits)
      await cacher.synced(signal)
      expect(backend.calls.range).to.equal(1)
      expect(cacher.stats().resources.map(r => r.objects)).to.deep.equal([2, 0])
    })

    it('reports the average size of its objects, also after changes', async () => {
      const isTrue = async () => {
        const { items } = await storage.list(testPrefix, { at: 'latest', predicate: everything, limit: 0 }, signal)
        const bytes = items.reduce((sum, item) => sum + item.json().bytes.length, 0)
        expect(cacher.averageBytes('configmaps')).to.equal(items.length === 0 ? 0 : Math.floor(bytes / items.length))
      }
      seed('a')
      seed('a-longer-name')
      await open()
      await isTrue()
      await write('new', { a: 'x'.repeat(1000) })
      await isTrue()
      expect(cacher.averageBytes('configmaps')).to.be.greaterThan(300)
      seed('new')
      await names()
      await isTrue()
      for (const name of await names()) backend.apply([{ key: testKey(name) }])
      await isTrue()
      expect([cacher.averageBytes('configmaps'), cacher.averageBytes('others')]).to.deep.equal([0, 0])
    })

    it('is read in pages at one revision if it is large', async () => {
      for (let i = 0; i < 1200; i++) seed(`n${i}`)
      let grown = false
      backend.before = call => {
        if (call === 'range' && !grown && backend.calls.range === 2) {
          grown = true
          seed('n0000')
        }
      }
      await open()
      expect(backend.calls.range).to.equal(3)
      await until(() => storage.count() === 1201)
    })

    describe('while it is loading', () => {
      let release: () => void
      /** The first read of the store, which is that of the state, does not end before `release`. */
      const opening = (options: CacherOptions = {}) => {
        const gate = new Promise<void>(resolve => {
          release = resolve
        })
        seed('a')
        seed('b')
        backend.before = call => (call === 'range' && backend.calls.range === 1 ? gate : undefined)
        cacher = openCacher(backend, options)
        storage = cacher.storageFor('configmaps')
      }
      const some = { matches: () => true, everything: false }
      const list = (query: Partial<ListQuery>) =>
        storage
          .list(testPrefix, { at: 'latest', predicate: everything, limit: 0, ...query }, signal)
          .then(page => page.items.map(i => i.attributes().name))
      const watch = (start: WatchQuery['start']) => storage.watch(testPrefix, { start, predicate: everything, bookmarks: false }, signal)
      const fromStart = { initial: 'any' as const, bookmarkAtEnd: false }
      afterEach(() => release())

      it('lists, watches and readiness wait', async () => {
        opening()
        const reading = Promise.all([names('any'), names(), list({ predicate: some, limit: 1 }), watch(fromStart)])
        await turns()
        expect([cacher.ready(), storage.count()]).to.deep.equal([false, undefined])
        release()
        expect((await reading).slice(0, 3)).to.deep.equal([['a', 'b'], ['a', 'b'], ['a']])
        expect(cacher.ready()).to.equal(true)
      })

      it('requests that time out get a Retry-After', async () => {
        opening({ startWaitMs: 30 })
        const refused = { code: 'initializing', message: 'storage is (re)initializing', retryAfterSeconds: 1 }
        const reads: [string, () => Promise<unknown>][] = [
          ['a list of any cached state', () => list({ at: 'any' })],
          ['the newest list', () => list({})],
          ['a list with a limit and a selector', () => list({ predicate: some, limit: 1 })],
          ['an exact list', () => list({ at: { exactly: revision(2) } })],
          ['a watch from the start', () => watch(fromStart)],
          ['a watch from a revision', () => watch({ after: revision(2) })],
        ]
        for (const [what, read] of reads)
          expect(pick((await read().catch((error: unknown) => error)) as object, Object.keys(refused)), what).to.deep.equal(refused)
      })

      it('gets, and lists with a limit and no selector, are served by the store', async () => {
        opening()
        const name = (object: StoredObject | undefined) => object?.attributes().name
        for (const at of ['any', 'latest', { notOlderThan: revision(2) }, { exactly: revision(2) }] as const)
          expect(name(await storage.get(testKey('a'), at, signal)), JSON.stringify(at)).to.equal('a')
        for (const at of ['latest', { exactly: revision(3) }] as const)
          expect(await list({ at, limit: 1 }), JSON.stringify(at)).to.deep.equal(['a'])
      })

      it('writes are served', async () => {
        opening()
        expect((await write('c')).outcome).to.equal('created')
        expect((await write('a', { more: 'data' })).outcome).to.equal('updated')
        release()
        expect(await names()).to.deep.equal(['a', 'b', 'c'])
      })

      it('without a resilient start every read waits until its own timeout', async () => {
        opening({ resilientStart: false, startWaitMs: 10 })
        expect(await codeOf(storage.get(testKey('a'), 'any', AbortSignal.timeout(30)))).to.equal('timeout')
        const reading = Promise.all([list({ limit: 1 }), storage.get(testKey('a'), { notOlderThan: revision(2) }, signal)])
        const later = codeOf(storage.get(testKey('a'), 'any', AbortSignal.timeout(30)))
        expect(await later, 'one that may wait for longer than `startWaitMs`').to.equal('timeout')
        release()
        expect((await reading)[0]).to.deep.equal(['a'])
      })
    })

    it('increases Retry-After with the time that has passed', () => {
      const seconds = [0, 1000, 12_000, 30_000, 60_000, 600_000].map(ms => initializing(ms).retryAfterSeconds)
      expect(seconds).to.deep.equal([1, 1, 2, 6, 30, 30])
    })

    it('is loaded when an unavailable store is back', async () => {
      seed('a')
      backend.down = true
      cacher = openCacher(backend)
      storage = cacher.storageFor('configmaps')
      const reading = names('any')
      await until(() => (backend.calls.range ?? 0) > 1)
      backend.down = false
      expect(await reading).to.deep.equal(['a'])
    })
  })

  describe('lost changes', () => {
    const lossy = (lost: string) => {
      backend.lose = (event: BackendEvent) => event.key === testKey(lost)
    }

    it('a missing revision reloads the state, and ends watches as expired', async () => {
      await open()
      await write('a')
      const events = await watchAfter(cacher.stats().revision)
      lossy('b')
      seed('b')
      backend.lose = () => false
      seed('c')
      expect(await codeOf(take(events, 1))).to.equal('expired')
      expect(await names()).to.deep.equal(['a', 'b', 'c'])
      expect(cacher.stats().relists).to.equal(1)
    })

    it('several changes of one revision are not a gap', async () => {
      await open()
      const events = await watchAfter(1)
      backend.apply(['a', 'b'].map(name => ({ key: testKey(name), value: testCodec.encode(testObject(name)) })))
      seed('c')
      expect(told(await take(events, 3))).to.deep.equal(['added a@2', 'added b@2', 'added c@3'])
      expect(cacher.stats().relists).to.equal(0)
    })

    it('a change that does not arrive is read from the store, and the watch is reopened', async () => {
      await open()
      await until(() => backend.watches.length === 1)
      lossy('a')
      seed('a')
      expect(await names('any')).to.deep.equal([])
      backend.lose = () => false
      expect(await names()).to.deep.equal(['a'])
      expect(cacher.stats().fallbacks).to.equal(1)
      await until(() => storage.count() === 1)
      expect(cacher.stats().relists).to.equal(0)
    })
  })

  describe('an unavailable store', () => {
    it('open and new watches work, consistent reads and writes fail, other reads are served, and no change is lost', async () => {
      await open()
      await write('a')
      const events = await watchAfter(2)
      backend.down = true
      await until(() => backend.watches.length === 0)
      expect(await names('any')).to.deep.equal(['a'])
      expect(await codeOf(names())).to.equal('unavailable')
      expect(await codeOf(write('b'))).to.equal('unavailable')
      const later = await watchAfter(1)
      expect(told(await take(later, 1))).to.deep.equal(['added a@2'])
      backend.down = false
      seed('b')
      for (const watch of [events, later]) expect(told(await take(watch, 1))).to.deep.equal(['added b@3'])
      expect(cacher.stats().relists).to.equal(0)
    })

    it('the state is reloaded if it was compacted meanwhile', async () => {
      await open()
      await write('a')
      backend.down = true
      await until(() => backend.watches.length === 0)
      for (const each of ['b', 'c', 'd']) seed(each)
      backend.down = false
      await backend.compact(revision(5), signal)
      await until(() => storage.count() === 4)
      expect(cacher.stats().relists).to.equal(1)
      expect(await codeOf(watchAfter(2).then(events => take(events, 1)))).to.equal('expired')
    })
  })

  describe('consistent reads', () => {
    it('share probes: one in flight, and one for all later callers', async () => {
      await open()
      const before = cacher.stats().probes
      let release = () => {}
      const gate = new Promise<void>(resolve => {
        release = resolve
      })
      backend.before = call => (call === 'currentRevision' ? gate : undefined)
      const reads = Array.from({ length: 500 }, () => names())
      release()
      await Promise.all(reads)
      expect(cacher.stats().probes - before).to.equal(2)
    })

    it('do not join a probe that started before them', async () => {
      await open()
      const order: string[] = []
      let release = () => {}
      backend.before = async call => {
        if (call !== 'currentRevision' || order.length > 0) return
        order.push('held')
        await new Promise<void>(resolve => {
          release = resolve
        })
      }
      const first = names()
      await until(() => order.length === 1)
      seed('a')
      const second = names()
      release()
      await first
      expect(await second).to.deep.equal(['a'])
    })
  })

  describe('pages at a future revision', () => {
    const page = () =>
      storage.list(
        testPrefix,
        { at: { exactly: revision(1000) }, startKey: keyAfter(testKey('a')), predicate: everything, limit: 1 },
        signal,
      )

    for (const [title, options, code] of [
      ['are refused', {}, 'future revision'],
      ['are refused as too large', { futureCode: 'too large revision' }, 'too large revision'],
      ['are refused if exact reads go to the store', { servesFuturePages: true, exactReads: false }, 'future revision'],
    ] as const)
      it(title, async () => {
        for (const each of ['a', 'b', 'c']) seed(each)
        await open(options)
        expect(await codeOf(page())).to.equal(code)
      })

    it('show the present state under that revision, if the cache serves them', async () => {
      for (const each of ['a', 'b', 'c']) seed(each)
      await open({ servesFuturePages: true })
      const { items, revision, nextKey, remaining } = await page()
      expect([items.map(item => item.attributes().name), revision, nextKey, remaining]).to.deep.equal([
        ['b'],
        1000,
        keyAfter(testKey('b')),
        1,
      ])
      seed('b2')
      expect((await storage.list(testPrefix, { at: 'latest', predicate: everything, limit: 1 }, signal)).remaining).to.equal(3)
    })
  })

  describe('writes', () => {
    it('assume the cached object, so an update is one round trip', async () => {
      await open()
      await write('a')
      const reads = backend.calls.get ?? 0
      await storage.get(testKey('a'), 'latest', signal)
      await write('a', { x: '1' })
      expect(backend.calls.get ?? 0).to.equal(reads)
    })

    it('are read once if the cached object was stale', async () => {
      await open()
      await write('a', { n: '1' })
      await names()
      backend.lose = () => true
      backend.apply([{ key: testKey('a'), value: testCodec.encode(testObject('a', { n: '2' })) }])
      const written = await storage.write(
        testKey('a'),
        async now => decided({ put: testObject('a', { n: `${now && loose(now.object()).data.n}+` }) }),
        signal,
      )
      expect(loose(written.object.object()).data.n).to.equal('2+')
    })
  })

  describe('history', () => {
    it('serves changes within its bounds; older ones come from the store', async () => {
      let now = 1_000_000
      await open({ clock: { now: () => now }, historyMs: 1000 })
      for (let i = 0; i < 5; i++) await write('a', { i: String(i) })
      const watches = () => backend.watches.length
      await until(() => cacher.stats().revision === 6)
      const own = watches()
      expect(told(await take(await watchAfter(1), 5))).to.have.length(5)
      expect(watches()).to.equal(own)
      now += 5000
      await until(() => cacher.stats().resources[0]!.historyEvents === 0)
      const old = await watchAfter(3)
      expect(told(await take(old, 3))).to.deep.equal(['modified a@4', 'modified a@5', 'modified a@6'])
      expect(watches()).to.equal(own + 1)
      await old.return?.()
    })

    it('is bounded in bytes, and reports the changes that it drops early', async () => {
      await open({ historyBytes: 10_000 })
      for (let i = 0; i < 50; i++) await write('a', { i: 'x'.repeat(1000) + i })
      await until(() => cacher.stats().revision === 51)
      const [stats] = cacher.stats().resources
      expect(stats!.historyBytes).to.be.lessThan(10_001)
      expect(stats!.historyEvents + stats!.historyForcedOut).to.equal(50)
    })

    it('changes dropped by the byte limit are served by the store until they are compacted', async () => {
      await open({ historyBytes: 2000 })
      for (let i = 0; i < 20; i++) await write('a', { i: String(i), filler: 'x'.repeat(100) })
      await until(() => cacher.stats().revision === 21)
      const [stats] = cacher.stats().resources
      expect(stats!.historyForcedOut).to.be.greaterThan(0)
      const page = (at: number) => storage.list(testPrefix, { at: { exactly: revision(at) }, predicate: everything, limit: 0 }, signal)
      const old = await watchAfter(2)
      expect(told(await take(old, 19))).to.deep.equal(Array.from({ length: 19 }, (_, i) => `modified a@${i + 3}`))
      expect(loose((await page(3)).items[0]!.object()).data.i).to.equal('1')
      await backend.compact(revision(10), signal)
      expect(told(await take(await watchAfter(10), 11))[0]).to.equal('modified a@11')
      for (const read of [watchAfter(2).then(events => take(events, 1)), page(3)]) expect(await codeOf(read)).to.equal('expired')
      await old.return?.()
    })

    it('matches its revision, whenever a change arrives during the read', async () => {
      await open()
      for (let turns = 0; turns < 20; turns++) {
        const { revision: now } = (await write(`n${String(turns).padStart(2, '0')}`)).object
        await storage.list(testPrefix, { at: { notOlderThan: now }, predicate: everything, limit: 0 }, signal)
        seed('too-late')
        for (let i = 0; i < turns; i++) await Promise.resolve()
        const reading = storage.list(testPrefix, { at: { exactly: now }, predicate: everything, limit: 0 }, signal)
        expect(
          (await reading).items.map(item => item.attributes().name),
          `${turns} turns`,
        ).not.to.include('too-late')
        backend.apply([{ key: testKey('too-late') }])
      }
    })

    it('rebuilds the state of an earlier revision', async () => {
      await open()
      const expected = new Map<number, string[]>()
      for (let i = 0; i < 40; i++) {
        const name = `n${(i * 7) % 11}`
        if (i % 5 === 4 && (await storage.get(testKey(name), 'latest', signal)))
          await storage.write(testKey(name), async () => decided({ delete: true }), signal)
        else await write(name, { i: String(i) })
        const page = await storage.list(testPrefix, { at: 'latest', predicate: everything, limit: 0 }, signal)
        expected.set(
          page.revision,
          page.items.map(item => item.json().bytes.toString()),
        )
      }
      const ranges = backend.calls.range
      for (const [at, items] of [...expected].reverse()) {
        const page = await storage.list(testPrefix, { at: { exactly: revision(at) }, predicate: everything, limit: 0 }, signal)
        expect(page.items.map(item => item.json().bytes.toString())).to.deep.equal(items)
      }
      expect(backend.calls.range).to.equal(ranges)
    })
  })

  describe('resources that are added and removed', () => {
    const widgets = key('/registry/example.com/widgets/')

    it('a resource that is added later is loaded and kept current', async () => {
      seed('w1', widgets)
      await open()
      seed('w2', widgets)
      const later = cacher.addResource({ ...testResource, name: 'widgets', prefix: widgets })
      expect([cacher.ready(), later.count()]).to.deep.equal([true, undefined])
      const page = await later.list(widgets, { at: 'any', predicate: everything, limit: 0 }, signal)
      expect(page.items.map(item => item.attributes().name)).to.deep.equal(['w1', 'w2'])
      const events = batchesOf(
        await later.watch(widgets, { start: { after: page.revision }, predicate: everything, bookmarks: false }, signal),
      )
      seed('w3', widgets)
      expect(told(await take(events, 1))).to.deep.equal([`added w3@${page.revision + 1}`])
    })

    it('misses no write during its load', async () => {
      await open()
      let writes = 0
      backend.before = async call => {
        if (call !== 'range' || writes > 0) return
        while (writes < 20) seed(`w${writes++}`, widgets)
        await turns()
      }
      for (let i = 0; i < 600; i++) seed(`v${i}`, widgets)
      const later = cacher.addResource({ ...testResource, name: 'widgets', prefix: widgets })
      seed('late', widgets)
      const page = await later.list(widgets, { at: 'latest', predicate: everything, limit: 0 }, signal)
      expect(page.items.length).to.equal(621)
    })

    it('ends the watches of a removed one, and serves reads from the store', async () => {
      await open()
      const events = await watchAfter(1)
      const pending = take(events, 1)
      cacher.removeResource('configmaps')
      expect(await pending).to.deep.equal([])
      seed('a')
      expect(await names('any')).to.deep.equal(['a'])
      expect(await names('latest')).to.deep.equal(['a'])
      for (const at of ['any', 'latest', { notOlderThan: revision(2) }, { exactly: revision(2) }] as const)
        expect((await storage.get(testKey('a'), at, signal))?.revision, JSON.stringify(at)).to.equal(2)
      expect(await take(await watchAfter(2), 1)).to.deep.equal([])
      cacher.addResource(testResource)
      expect((await cacher.storageFor('configmaps').get(testKey('a'), 'any', signal))?.revision).to.equal(2)
    })

    it('delivers changes to the watches of a replaced one until they end', async () => {
      await open()
      const events = await watchAfter(1)
      cacher.removeResource('configmaps', 100)
      storage = cacher.addResource(testResource)
      await names()
      seed('a')
      expect(told(await take(events, 1))).to.deep.equal(['added a@2'])
      expect(await take(events, 1)).to.deep.equal([])
      seed('b')
      expect(await names()).to.deep.equal(['a', 'b'])
    })

    it('ends the watches of the first of two that are replaced in quick succession', async () => {
      await open()
      const first = await watchAfter(1)
      for (let i = 0; i < 2; i++) {
        cacher.removeResource('configmaps', 60_000)
        storage = cacher.addResource(testResource)
        await names()
        if (i === 0) await watchAfter(1)
      }
      expect(await take(first, 1)).to.deep.equal([])
    })

    it('reads from the store if the cache is removed while a read waits for it', async () => {
      await open()
      backend.before = async call => void (call === 'range' && (await new Promise<void>(resolve => setTimeout(resolve, 20))))
      const later = cacher.addResource({ ...testResource, name: 'widgets', prefix: widgets })
      seed('w', widgets)
      const listed = later.list(widgets, { at: 'latest', predicate: everything, limit: 0 }, signal)
      cacher.removeResource('widgets')
      expect((await listed).items.map(({ key }) => key)).to.deep.equal([`${widgets}default/w`])
    })
  })

  describe('comparison with the store', () => {
    const everyMs = 20
    const checks = () => cacher.stats().resources[0]!.counts.checks
    /**
     * Two objects change in one revision, and the watch reports one of them: nothing shows that the other is missing.
     */
    const corrupt = async (lost: string, shown: string, deleted = false) => {
      await until(() => backend.watches.length > 0)
      const value = deleted ? undefined : testCodec.encode(testObject(lost))
      backend.lose = (event: BackendEvent) => event.key === testKey(lost)
      backend.apply([
        { key: testKey(lost), ...(value && { value }) },
        { key: testKey(shown), value: testCodec.encode(testObject(shown)) },
      ])
      backend.lose = () => false
    }

    it('finds them equal, and changes nothing', async () => {
      seed('a')
      await open({ consistencyCheckMs: everyMs })
      const events = await watchAfter(2)
      await until(() => checks().success >= 2)
      await write('b')
      expect(told(await take(events, 1))).to.deep.equal(['added b@3'])
      const { success } = checks()
      await until(() => checks().success > success)
      expect(checks()).to.deep.include({ failure: 0, error: 0 })
      expect(cacher.stats().relists).to.equal(0)
    })

    for (const [what, corruption, shown] of [
      ['an object whose event is missing', () => corrupt('lost', 'z'), ['a', 'lost', 'z']],
      ['an update whose event is missing', () => corrupt('a', 'z'), ['a', 'z']],
      ['a deletion whose event is missing', () => corrupt('a', 'z', true), ['z']],
    ] as const)
      it(`finds ${what}, and reloads the state`, async () => {
        seed('a')
        await open({ consistencyCheckMs: everyMs })
        const events = await watchAfter(2)
        await corruption()
        await until(() => checks().failure === 1)
        const seen: string[] = []
        const ended = async () => {
          for (let step = await events.next(); !step.done; step = await events.next()) seen.push(...told(step.value))
        }
        expect(await codeOf(ended()), 'watches end, for they may have missed something').to.equal('expired')
        expect(seen.filter(event => event !== 'added z@3')).to.deep.equal([])
        const { success } = checks()
        await until(() => checks().success > success)
        expect(await names('any')).to.deep.equal(shown)
        const page = await storage.list(testPrefix, { at: 'any', predicate: everything, limit: 0 }, signal)
        const stored = (await backend.range({ start: testPrefix, end: prefixEnd(testPrefix) }, signal)).items
        expect(page.items.map(item => item.revision)).to.deep.equal(stored.map(item => item.modRevision))
        expect(checks().failure).to.equal(1)
      })

    it('misses no write during a reload', async () => {
      for (let i = 0; i < 600; i++) seed(`n${i}`)
      await open({ consistencyCheckMs: everyMs })
      await corrupt('lost', 'z')
      let writes = 0
      backend.before = async call => {
        if (call !== 'range' || checks().failure === 0 || writes > 50) return
        for (let i = 0; i < 20; i++) seed(`w${writes++}`)
        await turns()
        seed('n7')
      }
      await until(() => checks().failure === 1 && writes > 50)
      const { success } = checks()
      await until(() => checks().success > success)
      expect((await names()).length).to.equal(602 + writes)
      expect(checks().failure).to.equal(1)
    })

    it('includes objects that cannot be read', async () => {
      seed('a')
      backend.apply([{ key: testKey('b'), value: Buffer.from('no object') }])
      await open({ consistencyCheckMs: everyMs })
      await until(() => checks().success > 1)
      expect(checks().failure).to.equal(0)
    })

    it('counts comparisons that failed', async () => {
      await open({ consistencyCheckMs: everyMs })
      backend.before = call => {
        if (call === 'range') throw new BackendError('compacted', 'compacted')
      }
      await until(() => checks().error > 0)
      expect(checks()).to.deep.include({ failure: 0 })
    })
  })

  describe("jumps of the system's clock", () => {
    const now = Date.now
    afterEach(() => {
      Date.now = now
    })

    for (const [what, ms] of [
      ['forward', 3_600_000],
      ['backward', -3_600_000],
    ] as const)
      it(`${what}: history stays, bookmarks arrive, and reads wait as long as before`, async () => {
        await open({ revisionWaitMs: 60 })
        await write('a')
        await names()
        const watcher = await storage.watch(
          testPrefix,
          { start: { after: revision(2) }, predicate: everything, bookmarks: true, deadline: steadyClock.now() + 3_600_000 },
          signal,
        )
        Date.now = () => now() + ms
        expect(told(await take(batchesOf(watcher), 1))).to.deep.equal(['bookmark@2'])
        expect(told(await take(batchesOf(watcher), 1)), 'another one').to.deep.equal(['bookmark@2'])
        expect(cacher.stats().resources[0]!.historyEvents).to.equal(1)
        for (const at of [{ notOlderThan: revision(99) }, { exactly: revision(99) }]) {
          const begun = performance.now()
          expect(await codeOf(storage.get(testKey('a'), at, signal))).to.equal('too large revision')
          expect(performance.now() - begun).to.be.at.least(50)
        }
      })
  })

  it('delivers the same batches to all watchers without a predicate', async () => {
    await open()
    const all = await Promise.all([1, 2, 3].map(() => watchAfter(1)))
    seed('a')
    seed('b')
    const batches = (await Promise.all(all.map(events => events.next()))).map(step => step.value as readonly StorageEvent[])
    // The event may be in one batch with the next one, if no other work ran in between.
    expect(told(batches[0]!)[0]).to.equal('added a@2')
    expect(batches[1]).to.equal(batches[0])
    expect(batches[2]).to.equal(batches[0])
  })

  it('reports the largest number of watchers of the same changes', async () => {
    const told: number[] = []
    await open({ bookmarkMs: 5, onWatchers: most => void told.push(most) })
    await Promise.all([1, 2, 3].map(() => watchAfter(1)))
    await eventually('all are counted', () => told.at(-1) === 3)
  })

  it('sends no bookmark older than the last event', async () => {
    await open({ bookmarkMs: 5 })
    const watcher = await storage.watch(
      testPrefix,
      { start: { after: revision(1) }, predicate: { ...everything, everything: false, matches: () => false }, bookmarks: true },
      signal,
    )
    const bookmarks: number[] = []
    const reading = (async () => {
      for await (const batch of batchesOf(watcher)) bookmarks.push(...batch.map(event => event.revision))
    })()
    // Of other resources, which move the clock alone, and of this one, which keep the watchers busy.
    for (let i = 0; i < 40 || bookmarks.length < 4; i++) {
      seed('elsewhere', key('/elsewhere/'))
      await turns(10)
      for (let n = 0; n < 40; n++) seed(`n${n}`)
      await turns(3)
    }
    watcher.close()
    await reading
    expect(bookmarks).to.deep.equal([...bookmarks].sort((a, b) => a - b))
  })

  it('reloads the state if the store went back', async () => {
    await open()
    for (let i = 0; i < 5; i++) await write(`n${i}`)
    await names()
    const original = backend.currentRevision.bind(backend)
    backend.down = true
    await until(() => backend.watches.length === 0)
    backend.currentRevision = async s => revision((await original(s)) - 3)
    backend.down = false
    await until(() => cacher.stats().relists > 0)
    backend.currentRevision = original
    expect(await names()).to.have.length(5)
  })
})
