import { setMaxListeners } from 'node:events'
import { expect } from 'chai'
import { steadyClock } from '../../src/lib/clock.ts'
import type { Backend } from '../../src/storage/backend.ts'
import { keyspaceEnd } from '../../src/storage/key-range.ts'
import type { Key, Revision } from '../../src/storage/revision.ts'
import { key, revision } from '../../src/storage/revision.ts'
import type {
  ListQuery,
  ReadAt,
  Storage,
  StorageErrorCode,
  StorageEvent,
  StoredObject,
  Watcher,
  WatchQuery,
} from '../../src/storage/storage.ts'
import { loose } from '../support/any-object.ts'
import { batchesOf } from '../support/batches.ts'
import { decided, everything, labelled, plus, put, take, testCodec, testKey, testObject, testPrefix, told } from '../support/test-codec.ts'
import { timeBound } from '../support/time-bounds.ts'
import { withDelay } from '../support/waiting.ts'

export interface StorageHarness {
  /** Empty below `/registry/`. */
  readonly backend: Backend
  /**
   * Storage of testCodec at testPrefix. It waits at most 1.5 s for a revision, queues at most 64 events per watcher,
   * and sends bookmarks every 200 ms.
   */
  readonly storage: Storage
  /** How an exact list fails whose revision has not come; absent: it waits, and fails with `too large revision`. */
  readonly futureLists?: StorageErrorCode
  /** Features that the store lacks: compaction, or revisions of the key by which Kubernetes servers compact. */
  readonly lacks?: readonly ('compaction' | 'compact_rev_key')[]
  /** The same anew, knowing nothing of what has been. */
  reopen(): Promise<Storage>
  close(): Promise<void>
}

/** Contract of every Storage on any backend. `skip` is the reason why it cannot run here. */
export function storageConformance(name: string, open: () => Promise<StorageHarness>, skip?: string): void {
  const suite = skip === undefined ? describe : describe.skip
  suite(`Storage: ${name}${skip === undefined ? '' : ` (skipped: ${skip})`}`, () => {
    let harness: StorageHarness
    let storage: Storage
    let backend: Backend
    let watchers: Watcher[] = []
    const { signal } = new AbortController()
    setMaxListeners(0, signal)

    beforeEach(async () => {
      harness = await open()
      ;({ storage, backend } = harness)
      watchers = []
    })
    afterEach(async () => {
      for (const watcher of watchers) watcher.close()
      await harness.close()
    })

    const create = async (object = testObject('a')): Promise<StoredObject> =>
      (await storage.write(testKey(object.metadata.name!, object.metadata.namespace), put(object), signal, 'absent')).object
    const update = async (object = testObject('a')): Promise<StoredObject> =>
      (await storage.write(testKey(object.metadata.name!, object.metadata.namespace), put(object), signal)).object
    const remove = async (of: string): Promise<Revision> =>
      (await storage.write(testKey(of), async () => decided({ delete: true }), signal)).object.revision
    const list = (query: Partial<ListQuery> = {}, prefix = testPrefix) =>
      storage.list(prefix, { at: 'latest', predicate: everything, limit: 0, ...query }, signal)
    const names = (items: readonly StoredObject[]) => items.map(item => item.attributes().name)
    const watch = async (query: Partial<WatchQuery>, prefix = testPrefix): Promise<AsyncIterator<readonly StorageEvent[]>> => {
      const watcher = await storage.watch(
        prefix,
        { start: { initial: 'latest', bookmarkAtEnd: false }, predicate: everything, bookmarks: false, ...query },
        signal,
      )
      watchers.push(watcher)
      return batchesOf(watcher)
    }
    const foreign = async (at: Key, value: Buffer | undefined): Promise<Revision> => {
      const { item } = await backend.get(at, signal)
      const result = await backend.write({ key: at, expected: item?.modRevision ?? 0, ...(value && { value }) }, signal)
      return result.revision
    }
    const failsWith = async (what: Promise<unknown>, code: string): Promise<void> => {
      let result: unknown
      try {
        result = await what
      } catch (error) {
        expect(error).to.have.property('code', code)
        return
      }
      expect.fail(`it succeeded: ${JSON.stringify(result)}`)
    }

    describe('writes', () => {
      it('creates, reads and deletes', async () => {
        const created = await storage.write(testKey('a'), put(testObject('a', { x: '1' })), signal, 'absent')
        expect(created.outcome).to.equal('created')
        const read = await storage.get(testKey('a'), 'latest', signal)
        expect(read?.revision).to.equal(created.object.revision)
        expect(read?.object()).to.deep.equal({
          ...testObject('a', { x: '1' }),
          metadata: { ...testObject('a').metadata, resourceVersion: String(read?.revision) },
        })
        expect(read?.json().bytes.toString()).to.equal(created.object.json().bytes.toString())
        const deleted = await storage.write(testKey('a'), async () => decided({ delete: true }), signal)
        expect(deleted.outcome).to.equal('deleted')
        expect(deleted.object.revision).to.be.greaterThan(created.object.revision)
        expect(deleted.object.object().metadata.resourceVersion).to.equal(String(deleted.object.revision))
        expect(await storage.get(testKey('a'), 'latest', signal)).to.equal(undefined)
      })

      it('returns the result of the decision that took effect', async () => {
        const results: unknown[] = []
        for (const change of [{ put: testObject('a') }, { keep: true }, { put: testObject('a') }, { delete: true }] as const) {
          const { result, outcome } = await storage.write(
            testKey('a'),
            async now => ({ change, result: `${now?.object().metadata.name} there` }),
            signal,
          )
          results.push([outcome, result])
        }
        expect(results).to.deep.equal([
          ['created', 'undefined there'],
          ['unchanged', 'a there'],
          ['unchanged', 'a there'],
          ['deleted', 'a there'],
        ])
      })

      it('applies concurrent writes one after the other', async () => {
        await create(testObject('a', { n: '0' }))
        const add = () =>
          storage.write(
            testKey('a'),
            async now => decided({ put: { ...now!.object(), data: { n: String(Number(loose(now!.object()).data.n) + 1) } } }),
            signal,
          )
        await Promise.all(Array.from({ length: 10 }, add))
        expect(loose((await storage.get(testKey('a'), 'latest', signal))?.object()).data.n).to.equal('10')
      })

      it('writes nothing if the encoded object is unchanged', async () => {
        const before = await create(testObject('a', { x: '1' }))
        const written = await storage.write(testKey('a'), async now => decided({ put: structuredClone(now!.object()) }), signal)
        expect(written.outcome).to.equal('unchanged')
        expect(written.object.revision).to.equal(before.revision)
        expect(await storage.currentRevision(signal)).to.equal(before.revision)
      })

      it('writes nothing if the decision keeps the object', async () => {
        const before = await create()
        const written = await storage.write(testKey('a'), async () => decided({ keep: true }), signal)
        expect([written.outcome, written.object.revision]).to.deep.equal(['unchanged', before.revision])
      })

      it('writes equal content if its encoding differs', async () => {
        const at = await foreign(
          testKey('a'),
          Buffer.from(JSON.stringify({ metadata: testObject('a').metadata, data: {}, apiVersion: 'v1', kind: 'ConfigMap' })),
        )
        const read = await storage.get(testKey('a'), { notOlderThan: at }, signal)
        expect(read?.json().bytes.toString().startsWith('{"kind":"ConfigMap","apiVersion":"v1","metadata":')).to.equal(true)
        expect((await storage.write(testKey('a'), async now => decided({ put: now!.object() }), signal)).outcome).to.equal('updated')
      })

      it('fails to delete a missing object', () =>
        failsWith(
          storage.write(testKey('a'), async () => decided({ delete: true }), signal),
          'not found',
        ))

      it('stores no resourceVersion', async () => {
        await create()
        await update(testObject('a', { x: '2' }))
        expect((await backend.get(testKey('a'), signal)).item?.value.toString()).not.to.contain('resourceVersion')
      })

      it('fails if its signal is aborted', () =>
        failsWith(storage.write(testKey('a'), put(testObject('a')), AbortSignal.abort()), 'timeout'))
    })

    describe('assumed objects', () => {
      const stale = async () => {
        const old = await create(testObject('a', { n: '1' }))
        const newer = await update(testObject('a', { n: '2' }))
        return { old, newer }
      }

      it('repeat the decision on the current object if they are stale', async () => {
        const { old } = await stale()
        const seen: string[] = []
        const written = await storage.write(
          testKey('a'),
          async now => {
            seen.push(loose(now!.object()).data.n)
            return decided({ put: testObject('a', { n: `${loose(now!.object()).data.n}+` }) })
          },
          signal,
          old,
        )
        expect(seen).to.deep.equal(['1', '2'])
        expect(loose(written.object.object()).data.n).to.equal('2+')
      })

      it('ignore an error of the decision if they are stale', async () => {
        const { old } = await stale()
        const written = await storage.write(
          testKey('a'),
          async now => {
            if (loose(now!.object()).data.n === '1') throw new Error('stale')
            return decided({ put: testObject('a', { n: '3' }) })
          },
          signal,
          old,
        )
        expect(loose(written.object.object()).data.n).to.equal('3')
      })

      it('report an error of the decision after one run if they are current', async () => {
        const { newer } = await stale()
        let runs = 0
        let message = ''
        await storage
          .write(
            testKey('a'),
            async () => {
              runs++
              throw new Error('no')
            },
            signal,
            newer,
          )
          .catch(error => {
            message = error.message
          })
        expect([message, runs]).to.deep.equal(['no', 1])
      })

      it('repeat an unchanged result if they are stale', async () => {
        const { old } = await stale()
        const written = await storage.write(testKey('a'), put(testObject('a', { n: '1' })), signal, old)
        expect(written.outcome).to.equal('updated')
        expect(loose((await storage.get(testKey('a'), 'latest', signal))?.object()).data.n).to.equal('1')
      })

      it('repeat a decision to keep if they are stale', async () => {
        const { old, newer } = await stale()
        const seen: string[] = []
        const written = await storage.write(
          testKey('a'),
          async now => {
            seen.push(loose(now!.object()).data.n)
            return decided({ keep: true })
          },
          signal,
          old,
        )
        expect(seen).to.deep.equal(['1', '2'])
        expect([written.outcome, written.object.revision]).to.deep.equal(['unchanged', newer.revision])
      })

      it('report an unchanged result after one run if they are current', async () => {
        const { newer } = await stale()
        let runs = 0
        const written = await storage.write(
          testKey('a'),
          async () => {
            runs++
            return decided({ put: testObject('a', { n: '2' }) })
          },
          signal,
          newer,
        )
        expect([written.outcome, runs]).to.deep.equal(['unchanged', 1])
      })

      it('repeat the decision without an object if it was deleted', async () => {
        const { newer } = await stale()
        await remove('a')
        const seen: (string | undefined)[] = []
        const written = await storage.write(
          testKey('a'),
          async now => {
            seen.push(now && loose(now.object()).data.n)
            return decided({ put: testObject('a', { n: '4' }) })
          },
          signal,
          newer,
        )
        expect(seen).to.deep.equal(['2', undefined])
        expect(written.outcome).to.equal('created')
      })

      it('repeat a decision to delete if they are stale', async () => {
        const { old } = await stale()
        let runs = 0
        const written = await storage.write(
          testKey('a'),
          async () => {
            runs++
            return decided({ delete: true })
          },
          signal,
          old,
        )
        expect([written.outcome, runs, loose(written.object.object()).data.n]).to.deep.equal(['deleted', 2, '2'])
      })

      it('repeat the decision with the object if it was assumed absent and exists', async () => {
        const { newer } = await stale()
        const seen: (Revision | undefined)[] = []
        const written = await storage.write(
          testKey('a'),
          async now => {
            seen.push(now?.revision)
            return decided(now ? { keep: true } : { put: testObject('a') })
          },
          signal,
          'absent',
        )
        expect(seen).to.deep.equal([undefined, newer.revision])
        expect(written.outcome).to.equal('unchanged')
      })
    })

    describe('resource versions', () => {
      it('reads the writes of other programs with `latest`', async () => {
        const at = await foreign(testKey('a'), testCodec.encode(testObject('a')))
        expect((await storage.get(testKey('a'), 'latest', signal))?.revision).to.equal(at)
        const page = await list()
        expect(names(page.items)).to.deep.equal(['a'])
        expect(page.revision).to.be.at.least(at)
      })

      it('reports a newest revision that is never older than a delivered event', async () => {
        const events = await watch({})
        for (let round = 0; round < 20; round++) {
          const writing = Promise.all(Array.from({ length: 5 }, (_, i) => create(testObject(`n${round}-${i}`))))
          for (let seen = 0; seen < 5; ) {
            const batch: readonly StorageEvent[] = (await events.next()).value
            seen += batch.length
            expect(await backend.currentRevision(signal)).to.be.at.least(batch.at(-1)!.revision)
          }
          await writing
        }
      })

      it('waits for the revision of `notOlderThan`', async () => {
        const { revision: now } = await create()
        const wanted = plus(now, 1)
        const waiting = [
          list({ at: { notOlderThan: wanted } }).then(page => page.items.length),
          storage.get(testKey('b'), { notOlderThan: wanted }, signal).then(object => (object ? 2 : 0)),
        ]
        await create(testObject('b'))
        expect(await Promise.all(waiting)).to.deep.equal([2, 2])
      })

      for (const [what, at] of [
        ['not older than', (r: Revision): ReadAt => ({ notOlderThan: r })],
        ['exactly', (r: Revision): ReadAt => ({ exactly: r })],
      ] as const) {
        it(`fails for a revision that does not arrive, with ${what}`, async () => {
          const far = plus((await create()).revision, 1000)
          await Promise.all([
            failsWith(list({ at: at(far) }), what === 'exactly' ? (harness.futureLists ?? 'too large revision') : 'too large revision'),
            failsWith(storage.get(testKey('a'), at(far), signal), 'too large revision'),
          ])
        })
      }

      it('fails immediately for a page of a future revision', async () => {
        const { revision: now } = await create()
        await failsWith(list({ at: { exactly: plus(now, 1000) }, startKey: testKey('a') }), 'future revision')
      })

      it('reads the past with `exactly`', async () => {
        const first = await create(testObject('a', { n: '1' }))
        await create(testObject('b'))
        await update(testObject('a', { n: '2' }))
        const third = await remove('b')
        const then = async (at: Revision) => {
          const page = await list({ at: { exactly: at } })
          expect(page.revision).to.equal(at)
          return page.items.map(item => `${item.attributes().name}=${loose(item.object()).data.n ?? ''}`)
        }
        expect(await then(first.revision)).to.deep.equal(['a=1'])
        expect(await then(plus(first.revision, 1))).to.deep.equal(['a=1', 'b='])
        expect(await then(plus(first.revision, 2))).to.deep.equal(['a=2', 'b='])
        expect(await then(third)).to.deep.equal(['a=2'])
        expect(loose((await storage.get(testKey('a'), { exactly: first.revision }, signal))?.object()).data.n).to.equal('1')
      })

      it('reads any cached state with `any`', async () => {
        const { revision: at } = await create()
        await list({ at: { notOlderThan: at } })
        expect(names((await list({ at: 'any' })).items)).to.deep.equal(['a'])
        expect((await storage.get(testKey('a'), 'any', signal))?.revision).to.equal(at)
      })

      it('fails if the signal of a read aborts', async () => {
        const { revision: at } = await create()
        await failsWith(
          storage.list(testPrefix, { at: { notOlderThan: plus(at, 9) }, predicate: everything, limit: 0 }, AbortSignal.timeout(20)),
          'timeout',
        )
      })
    })

    describe('lists', () => {
      it('reads pages at one revision during writes', async () => {
        for (let i = 0; i < 10; i++) await create(testObject(`n${i}`))
        const first = await list({ limit: 4 })
        expect([names(first.items), first.remaining]).to.deep.equal([['n0', 'n1', 'n2', 'n3'], 6])
        await create(testObject('n35'))
        await remove('n5')
        await update(testObject('n6', { changed: 'yes' }))
        const second = await list({ limit: 4, at: { exactly: first.revision }, startKey: first.nextKey! })
        expect([names(second.items), second.remaining, second.revision]).to.deep.equal([['n4', 'n5', 'n6', 'n7'], 2, first.revision])
        expect(second.items[2]?.object().data).to.deep.equal({})
        const last = await list({ limit: 4, at: { exactly: first.revision }, startKey: second.nextKey! })
        expect([names(last.items), last.nextKey, last.remaining]).to.deep.equal([['n8', 'n9'], undefined, undefined])
      })

      it('returns no next page if the limit covers all items', async () => {
        for (const each of ['a', 'b']) await create(testObject(each))
        const page = await list({ limit: 2 })
        expect([names(page.items), page.nextKey, page.remaining]).to.deep.equal([['a', 'b'], undefined, undefined])
      })

      it('skips objects that do not match until the limit is reached', async () => {
        for (let i = 0; i < 30; i++) await create(testObject(`n${String(i).padStart(2, '0')}`, {}, { odd: String(i % 10 === 0) }))
        const first = await list({ limit: 2, predicate: labelled('odd', 'true') })
        expect([names(first.items), first.remaining]).to.deep.equal([['n00', 'n10'], undefined])
        const second = await list({
          limit: 2,
          predicate: labelled('odd', 'true'),
          at: { exactly: first.revision },
          startKey: first.nextKey!,
        })
        expect(names(second.items)).to.deep.equal(['n20'])
        expect(second.nextKey).to.equal(undefined)
      })

      it('returns only keys with its prefix', async () => {
        await create(testObject('a', {}, undefined, 'one'))
        await create(testObject('b', {}, undefined, 'one-more'))
        await foreign(key('/registry/configmaps-too/one/c'), testCodec.encode(testObject('c')))
        expect(names((await list({}, key(`${testPrefix}one/`))).items)).to.deep.equal(['a'])
        expect(names((await list()).items)).to.deep.equal(['b', 'a'])
      })

      it('treats the hints of a predicate as hints', async () => {
        for (const namespace of ['x', 'y']) for (const each of ['a', 'b']) await create(testObject(each, {}, undefined, namespace))
        const one = await list({ predicate: { name: 'a', everything: false, matches: ({ name }) => name === 'a' } })
        expect(one.items.map(item => item.key)).to.deep.equal([testKey('a', 'x'), testKey('a', 'y')])
        const two = await list({
          predicate: { name: 'a', namespace: 'y', everything: false, matches: ({ name, namespace }) => name === 'a' && namespace === 'y' },
        })
        expect(two.items.map(item => item.key)).to.deep.equal([testKey('a', 'y')])
        expect(
          (await list({ predicate: { name: 'a', everything: false, matches: () => false } }, key(`${testPrefix}x/`))).items,
        ).to.deep.equal([])
      })

      it('expires a page at a compacted revision', async function () {
        if (harness.lacks?.includes('compaction')) this.skip()
        const { revision: first } = await create()
        for (let i = 0; i < 5; i++) await update(testObject('a', { i: String(i) }))
        await backend.compact(plus(first, 4), signal)
        storage = await harness.reopen()
        await failsWith(list({ at: { exactly: plus(first, 1) } }), 'expired')
        expect(names((await list({ at: { exactly: plus(first, 5) } })).items)).to.deep.equal(['a'])
      })

      it('reports an object that cannot be read', async () => {
        await create()
        const at = await foreign(testKey('b'), Buffer.from('not an object'))
        await failsWith(list({ at: { notOlderThan: at } }), 'corrupt')
        await failsWith(storage.get(testKey('b'), { notOlderThan: at }, signal), 'corrupt')
        expect((await storage.get(testKey('a'), 'latest', signal))?.attributes().name).to.equal('a')
        const again = await foreign(testKey('b'), testCodec.encode(testObject('b')))
        expect(names((await list({ at: { notOlderThan: again } })).items)).to.deep.equal(['a', 'b'])
      })
    })

    describe('watches', () => {
      it('delivers changes after a revision, in order', async () => {
        const { revision: r } = await create()
        const before = await watch({ start: { after: r } })
        await update(testObject('a', { x: '1' }))
        await create(testObject('b'))
        await remove('a')
        const expected = [`modified a@${r + 1}`, `added b@${r + 2}`, `deleted a@${r + 3}`]
        expect(told(await take(before, 3))).to.deep.equal(expected)
        const after = await watch({ start: { after: r } })
        const events = await take(after, 3)
        expect(told(events)).to.deep.equal(expected)
        const last = events[2]!
        expect(last.type === 'deleted' && last.object.object()).to.deep.equal({
          ...testObject('a', { x: '1' }),
          metadata: { ...testObject('a').metadata, resourceVersion: String(r + 3) },
        })
      })

      it('delivers the current state, a bookmark, then changes', async () => {
        await create(testObject('a'))
        const { revision: r } = await create(testObject('b'))
        const events = await watch({ start: { initial: 'latest', bookmarkAtEnd: true }, bookmarks: true })
        expect(told(await take(events, 3))).to.deep.equal([`added a@${r - 1}`, `added b@${r}`, `bookmark end@${r}`])
        await create(testObject('c'))
        let next = told(await take(events, 1))[0]
        // A bookmark may come between.
        while (next?.startsWith('bookmark')) next = told(await take(events, 1))[0]
        expect(next).to.equal(`added c@${r + 1}`)
      })

      it('starts with a state that is not older than requested', async () => {
        const { revision: r } = await create()
        const never = failsWith(watch({ start: { initial: { notOlderThan: plus(r, 1000) }, bookmarkAtEnd: true } }), 'too large revision')
        const opening = watch({ start: { initial: { notOlderThan: plus(r, 1) }, bookmarkAtEnd: true } })
        await create(testObject('b'))
        expect(told(await take(await opening, 3))).to.deep.equal([`added a@${r}`, `added b@${r + 1}`, `bookmark end@${r + 1}`])
        await never
      })

      it('delivers a large initial state completely', async () => {
        await Promise.all(Array.from({ length: 450 }, (_, i) => create(testObject(`n${i}`))))
        const events = await take(await watch({ start: { initial: 'latest', bookmarkAtEnd: true } }), 451)
        expect(new Set(told(events)).size).to.equal(451)
        expect(told(events)[450]).to.match(/^bookmark end/)
      })

      it('reports objects that start and stop matching as added and deleted', async () => {
        const { revision: r } = await create(testObject('a', { n: '0' }, { on: 'no' }))
        const events = await watch({ start: { after: r }, predicate: labelled('on', 'yes') })
        await update(testObject('a', { n: '1' }, { on: 'yes' }))
        await update(testObject('a', { n: '2' }, { on: 'yes' }))
        await update(testObject('a', { n: '3' }, { on: 'no' }))
        await update(testObject('a', { n: '4' }, { on: 'no' }))
        await create(testObject('b', {}, { on: 'yes' }))
        const all = await take(events, 4)
        expect(told(all)).to.deep.equal([`added a@${r + 1}`, `modified a@${r + 2}`, `deleted a@${r + 3}`, `added b@${r + 5}`])
        const gone = all[2]!
        expect(gone.type === 'deleted' && gone.object.object()).to.deep.include({ data: { n: '2' } })
        expect(gone.type === 'deleted' && gone.object.object().metadata.resourceVersion).to.equal(String(r + 3))
      })

      it('delivers only objects with its prefix and name', async () => {
        const r = await storage.currentRevision(signal)
        const one = await watch({ start: { after: r } }, key(`${testPrefix}x/`))
        const named = await watch({ start: { after: r }, predicate: { name: 'b', everything: false, matches: ({ name }) => name === 'b' } })
        const single = await watch(
          { start: { after: r }, predicate: { name: 'b', everything: false, matches: ({ name }) => name === 'b' } },
          key(`${testPrefix}y/`),
        )
        for (const namespace of ['x', 'xx', 'y'])
          for (const each of ['a', 'b', 'bb']) await create(testObject(each, {}, undefined, namespace))
        expect(told(await take(one, 3))).to.deep.equal([`added a@${r + 1}`, `added b@${r + 2}`, `added bb@${r + 3}`])
        expect(told(await take(named, 3))).to.deep.equal([`added b@${r + 2}`, `added b@${r + 5}`, `added b@${r + 8}`])
        expect(told(await take(single, 1))).to.deep.equal([`added b@${r + 8}`])
      })

      it('waits for a start revision in the future', async () => {
        const { revision: r } = await create()
        const events = await watch({ start: { after: plus(r, 1) } })
        await create(testObject('b'))
        await create(testObject('c'))
        expect(told(await take(events, 1))).to.deep.equal([`added c@${r + 2}`])
      })

      it('rejects a compacted start revision', async function () {
        if (harness.lacks?.includes('compaction')) this.skip()
        const { revision: r } = await create()
        for (let i = 0; i < 5; i++) await update(testObject('a', { i: String(i) }))
        await backend.compact(plus(r, 5), signal)
        storage = await harness.reopen()
        await failsWith(
          watch({ start: { after: revision(1) } }).then(events => take(events, 1)),
          'expired',
        )
      })

      it('sends bookmarks', async () => {
        const { revision: r } = await create()
        await list({ at: { notOlderThan: r } })
        const events = await watch({ start: { after: plus(r, -1) }, bookmarks: true })
        const seen: string[] = []
        // Bookmarks of the revision before may come first: a watch that begins before the state of the cache follows
        // the store.
        while (seen.length < 2) seen.push(...told(await take(events, 1)).filter(each => each !== `bookmark@${r - 1}`))
        expect(seen.slice(0, 2)).to.deep.equal([`added a@${r}`, `bookmark@${r}`])
      })

      it('sends no bookmark if the deadline is too near', async () => {
        const { revision: r } = await create()
        const events = await watch({ start: { after: plus(r, -1) }, bookmarks: true, deadline: steadyClock.now() + 1900 })
        expect(told(await take(events, 1))).to.deep.equal([`added a@${r}`])
        const late = new Promise(resolve => setTimeout(resolve, 700, 'nothing'))
        expect(await Promise.race([late, events.next()])).to.equal('nothing')
      })

      it('sends a bookmark before its deadline', async () => {
        const { revision: r } = await create()
        await withDelay(700, async delayMs => {
          const bookmarkAt = steadyClock.now() + delayMs
          const deadline = bookmarkAt + 2000
          const events = await watch({ start: { after: plus(r, -1) }, bookmarks: true, deadline })
          if (steadyClock.now() > bookmarkAt) return false
          expect(told(await take(events, 2))).to.deep.equal([`added a@${r}`, `bookmark@${r}`])
          expect(steadyClock.now() - deadline).to.be.lessThan(timeBound(0))
          return true
        })
      })

      it('ends when its signal aborts, and when it is closed', async () => {
        const stop = new AbortController()
        const watcher = await storage.watch(
          testPrefix,
          { start: { initial: 'latest', bookmarkAtEnd: false }, predicate: everything, bookmarks: false },
          stop.signal,
        )
        const next = batchesOf(watcher).next()
        stop.abort()
        expect((await next).done).to.equal(true)
        const other = await storage.watch(
          testPrefix,
          { start: { initial: 'latest', bookmarkAtEnd: false }, predicate: everything, bookmarks: false },
          signal,
        )
        other.close()
        expect((await batchesOf(other).next()).done).to.equal(true)
      })

      it('closes a watcher that is too slow', async () => {
        const { revision: r } = await create()
        const slow = await watch({ start: { after: r } })
        const quick = await watch({ start: { after: r } })
        for (let i = 0; i < 200; i++) {
          const event = take(quick, 1)
          await update(testObject('a', { i: String(i) }))
          // Written faster than a store reports them, more would wait for it than a watcher may have.
          expect((await event).length).to.equal(1)
        }
        const got = await take(slow, 1000)
        expect(got.length).to.be.lessThan(200)
      })

      it('serves 1000 watchers', async () => {
        const { revision: r } = await create()
        const all = await Promise.all(
          Array.from({ length: 1000 }, (_, i) => watch({ start: { after: r }, ...(i % 2 === 1 && { predicate: labelled('odd', 'yes') }) })),
        )
        const taking = all.map((events, i) => take(events, i % 2 === 1 ? 5 : 10))
        for (let i = 0; i < 10; i++) await update(testObject('a', { i: String(i) }, { odd: i < 4 ? 'yes' : 'no' }))
        const [even, odd] = (await Promise.all(taking)).map(told)
        expect(even).to.deep.equal(Array.from({ length: 10 }, (_, i) => `modified a@${r + 1 + i}`))
        expect(odd).to.deep.equal([`added a@${r + 1}`, ...[2, 3, 4].map(i => `modified a@${r + i}`), `deleted a@${r + 5}`])
        for (const [i, events] of (await Promise.all(taking)).entries()) expect(told(events)).to.deep.equal(i % 2 === 1 ? odd : even)
      })
    })

    it('ignores keys of other programs beside its prefix', async function () {
      if (harness.lacks?.includes('compact_rev_key')) this.skip()
      const { revision: r } = await create()
      const events = await watch({ start: { after: r } })
      for (const each of ['compact_rev_key', '/registry/pods/x/y', '\u{10ffff}beyond', '/other/\u{1f600}'])
        await foreign(key(each), Buffer.from('{}'))
      await foreign(key('compact_rev_key'), undefined)
      const page = await list()
      expect([names(page.items), page.revision]).to.deep.equal([['a'], r + 5])
      await create(testObject('b'))
      expect(told(await take(events, 1))).to.deep.equal([`added b@${r + 6}`])
      for (const each of ['/registry/pods/x/y', '\u{10ffff}beyond', '/other/\u{1f600}']) await foreign(key(each), undefined)
      expect(keyspaceEnd).to.equal('\0')
    })
  })
}
