import { expect } from 'chai'
import type { Backend, KeyValue, RangeQuery } from '../../src/storage/backend.ts'
import { keyAfter, keyspaceEnd, keyspaceStart } from '../../src/storage/key-range.ts'
import { rangePages } from '../../src/storage/range-pages.ts'
import type { Key, Revision } from '../../src/storage/revision.ts'
import { codeOf, never, Store, within } from '../support/backend.ts'

export interface BackendUnderTest {
  readonly backend: Backend
  /** Optional. Number of events that a slow reader is behind. Default: 12,000, more than the embedded store queues. */
  readonly backlog?: number
  /** Closes the backend and what it stands on. */
  dispose(): Promise<void>
}

/**
 * Contract of every Backend. The factory returns one on an empty store without other writers. It is called once more at
 * the end, and may then return another one on the same store. `skip` is the reason why it cannot run here.
 */
export function backendConformance(name: string, factory: () => Promise<BackendUnderTest>, skip?: string): void {
  const suite = skip === undefined ? describe : describe.skip
  suite(`Backend: ${name}${skip === undefined ? '' : ` (skipped: ${skip})`}`, () => {
    let under: BackendUnderTest
    let store: Store
    let suffix = 0

    before(async () => {
      under = await factory()
    })
    after(() => under?.dispose())
    beforeEach(() => {
      store = new Store(under.backend, `/registry/case-${++suffix}/`)
    })

    describe('guarded writes', () => {
      it('creates, updates and deletes at the expected revision', async () => {
        const created = await store.put('a', 0, 'one')
        const updated = await store.put('a', created, 'two')
        expect((await under.backend.get(store.key('a'), never)).item).to.deep.equal({
          key: store.key('a'),
          value: Buffer.from('two'),
          createRevision: created,
          modRevision: updated,
        })
        await store.remove('a', updated)
        expect(await store.text('a')).to.equal(undefined)
      })

      it('increments the revision with every change', async () => {
        const start = await under.backend.currentRevision(never)
        const a = await store.put('a', 0, '1')
        const b = await store.put('b', 0, '1')
        const revisions = [a, b, await store.put('a', a, '2'), await store.remove('b', b), await store.put('b', 0, '2')]
        expect(revisions).to.deep.equal([1, 2, 3, 4, 5].map(n => start + n))
        expect(await under.backend.currentRevision(never)).to.equal(start + 5)
      })

      it('returns the current value to a writer with a wrong revision, and writes nothing', async () => {
        const revision = await store.put('a', 0, 'there')
        const there = { key: store.key('a'), value: Buffer.from('there'), createRevision: revision, modRevision: revision }
        const losers = [
          store.write('a', 0, 'x'),
          store.write('a', revision - 1, 'x'),
          store.write('a', revision + 1, 'x'),
          store.write('a', revision - 1),
        ]
        for (const loser of losers) expect(await loser).to.deep.equal({ ok: false, current: there, revision })
        expect(await store.write('gone', revision, 'x')).to.deep.equal({ ok: false, current: undefined, revision })
        expect(await store.write('gone', revision)).to.deep.equal({ ok: false, current: undefined, revision })
        expect(await under.backend.currentRevision(never)).to.equal(revision)
      })

      it('assigns a new create revision after a deletion', async () => {
        const first = await store.put('a', 0, '1')
        await store.remove('a', first)
        const again = await store.put('a', 0, '2')
        const { item } = await under.backend.get(store.key('a'), never)
        expect([item?.createRevision, item?.modRevision]).to.deep.equal([again, again])
        expect((await store.write('a', first, '3')).ok).to.equal(false)
      })

      it('accepts one of 64 concurrent writes at each revision', async () => {
        let acknowledged = 0
        const start = await store.put('n', 0, '0')
        const writers = Array.from({ length: 64 }, async () => {
          for (let own = 0; own < 5; ) {
            const { item } = await under.backend.get(store.key('n'), never)
            const result = await store.write('n', item!.modRevision, String(Number(item!.value) + 1))
            if (result.ok) {
              own++
              acknowledged++
            } else if (result.current!.modRevision <= item!.modRevision) throw new Error('a loser was shown an old value')
          }
        })
        await Promise.all(writers)
        expect(acknowledged).to.equal(320)
        expect(await store.text('n')).to.equal('320')
        expect(await under.backend.currentRevision(never)).to.equal(start + 320)
      })

      it('accepts one of 64 concurrent creations of a key', async () => {
        const results = await Promise.all(Array.from({ length: 64 }, (_, i) => store.write('a', 0, `writer ${i}`)))
        const winners = results.flatMap((result, i) => (result.ok ? [`writer ${i}`] : []))
        expect(winners).to.have.length(1)
        for (const result of results) if (!result.ok) expect(result.current?.value.toString()).to.equal(winners[0])
      })

      for (const [what, value] of [
        ['no bytes', Buffer.alloc(0)],
        ['every byte', Buffer.from(Array.from({ length: 256 }, (_, i) => i))],
        ['1,500,000 bytes', Buffer.alloc(1_500_000, 'large ')],
      ] as const) {
        it(`stores and watches a value of ${what}`, async () => {
          const revision = await store.put('value', 0, value)
          expect((await under.backend.get(store.key('value'), never)).item?.value.equals(value)).to.equal(true)
          const [event] = await store.events(1, revision)
          expect(event?.value?.equals(value)).to.equal(true)
        })
      }

      it('orders keys beyond ASCII by their bytes', async () => {
        for (const name of ['z', 'é', '\u{1f600}', '\uffee', 'a']) await store.put(name, 0, '')
        expect((await store.list()).items).to.deep.equal(['a=', 'z=', 'é=', '\uffee=', '\u{1f600}='])
      })

      it('rejects a value that is too large', async () => {
        for (const size of [1.5 * 1024 * 1024, 2.5 * 1024 * 1024])
          expect(await codeOf(store.write('big', 0, Buffer.alloc(size)))).to.equal('too large')
        expect(await store.text('big')).to.equal(undefined)
      })
    })

    describe('ranges', () => {
      it('are ordered and paged, with a count on request', async () => {
        for (const name of ['c', 'a', 'e', 'b', 'd']) await store.put(name, 0, name)
        const revision = await under.backend.currentRevision(never)
        expect(await store.list({ limit: 2 })).to.deep.equal({ items: ['a=a', 'b=b'], more: true, revision })
        expect(await store.list({ limit: 2, start: 'd' })).to.deep.equal({ items: ['d=d', 'e=e'], more: false, revision })
        const counted = true
        expect(await store.list({ counted })).to.deep.equal({ items: ['a=a', 'b=b', 'c=c', 'd=d', 'e=e'], more: false, count: 5, revision })
        expect(await store.list({ limit: 2, counted })).to.deep.equal({ items: ['a=a', 'b=b'], more: true, count: 5, revision })
        expect(await store.list({ limit: 2, start: 'b\0', counted })).to.deep.equal({
          items: ['c=c', 'd=d'],
          more: true,
          count: 3,
          revision,
        })
        expect(await store.list({ limit: 2, start: 'd', counted })).to.deep.equal({
          items: ['d=d', 'e=e'],
          more: false,
          count: 2,
          revision,
        })
        expect(await store.list({ start: 'b', end: 'd', counted })).to.deep.equal({
          items: ['b=b', 'c=c'],
          more: false,
          count: 2,
          revision,
        })
        expect(await store.list({ start: 'x', counted })).to.deep.equal({ items: [], more: false, count: 0, revision })
        const none = await under.backend.range({ ...store.bounds, countOnly: true }, never)
        expect([none.items.length, none.count]).to.deep.equal([0, 5])
      })

      it('return the same items for every page size', async () => {
        for (let i = 0; i < 25; i++) await store.put(`k${i}`, 0, 'x'.repeat(i))
        const at = await store.put('k3', (await under.backend.get(store.key('k3'), never)).item!.modRevision, 'new')
        const { items } = await under.backend.range({ ...store.bounds, at }, never)
        await store.put('k30', 0, 'later')
        for (const limit of [1, 2, 7, 24, 25, 26]) {
          const paged: KeyValue[] = []
          for (let start = store.bounds.start, more = true; more; ) {
            const page = await under.backend.range({ ...store.bounds, start, at, limit }, never)
            paged.push(...page.items)
            more = page.more
            start = keyAfter(page.items.at(-1)!.key)
          }
          expect(paged).to.deep.equal(items)
        }
        const paged: KeyValue[] = []
        for await (const page of rangePages(under.backend, { ...store.bounds, at }, never)) paged.push(...page.items)
        expect(paged).to.deep.equal(items)
      })

      it('return keys and revisions without values if only keys are requested', async () => {
        const a = await store.put('a', 0, '1')
        const b = await store.put('b', 0, '1')
        await store.put('c', 0, '1')
        const at = await store.put('a', a, '2')
        await store.remove('b', b)
        await store.put('d', 0, '1')
        const keys = async (query: Partial<RangeQuery>) => {
          const page = await under.backend.range({ ...store.bounds, keysOnly: true, ...query }, never)
          return { more: page.more, keys: page.items.map(item => [item.key, item.modRevision, item.value.length]) }
        }
        const [first, second, third, fourth] = [store.key('a'), store.key('b'), store.key('c'), store.key('d')]
        expect(await keys({})).to.deep.equal({
          more: false,
          keys: [
            [first, at, 0],
            [third, b + 1, 0],
            [fourth, at + 2, 0],
          ],
        })
        expect(await keys({ at })).to.deep.equal({
          more: false,
          keys: [
            [first, at, 0],
            [second, b, 0],
            [third, b + 1, 0],
          ],
        })
        expect(await keys({ at, limit: 2 })).to.deep.equal({
          more: true,
          keys: [
            [first, at, 0],
            [second, b, 0],
          ],
        })
        expect(await keys({ limit: 3 })).to.deep.equal({
          more: false,
          keys: [
            [first, at, 0],
            [third, b + 1, 0],
            [fourth, at + 2, 0],
          ],
        })
      })

      it('accept bounds that are longer than any key', async () => {
        for (const name of ['a', 'b', 'c']) await store.put(name, 0, '')
        const long = store.key(`b${'x'.repeat(5000)}`)
        const names = async (bounds: object) =>
          (await under.backend.range({ ...store.bounds, ...bounds }, never)).items.map(({ key }) => key.at(-1))
        expect(await names({ start: long })).to.deep.equal(['c'])
        expect(await names({ end: long })).to.deep.equal(['a', 'b'])
        expect((await under.backend.get(long, never)).item).to.equal(undefined)
      })

      it('read an older revision, page after page', async () => {
        const a = await store.put('a', 0, '1')
        const b = await store.put('b', 0, '1')
        const at = await store.put('c', 0, '1')
        await store.put('a', a, '2')
        await store.remove('b', b)
        await store.put('d', 0, '2')
        const now = await store.put('b', 0, '3')
        expect(await store.list({ at, counted: true })).to.deep.equal({
          items: ['a=1', 'b=1', 'c=1'],
          more: false,
          count: 3,
          revision: now,
        })
        expect(await store.list({ at, limit: 1, counted: true })).to.deep.equal({ items: ['a=1'], more: true, count: 3, revision: now })
        expect(await store.list({ at, limit: 1, start: 'b', counted: true })).to.deep.equal({
          items: ['b=1'],
          more: true,
          count: 2,
          revision: now,
        })
        expect((await store.list({ at: a })).items).to.deep.equal(['a=1'])
        expect((await store.list({ at: (now - 1) as Revision })).items).to.deep.equal(['a=2', 'c=1', 'd=2'])
        expect([await store.text('a', at), await store.text('a', now), await store.text('b', (now - 1) as Revision)]).to.deep.equal([
          '1',
          '2',
          undefined,
        ])
      })

      it('read one revision of a large range while it is written', async () => {
        const size = 3000
        await Promise.all(Array.from({ length: size }, (_, i) => store.put(`k${String(i).padStart(5, '0')}`, 0, 'old')))
        const all = (await under.backend.range(store.bounds, never)).items
        let done = false
        const writer = (async () => {
          // Writes from both ends inwards: a torn read would contain a late change and miss an earlier one.
          for (let i = 0; i < size / 2 && !done; i++) {
            await store.put(`k${String(i).padStart(5, '0')}`, all[i]!.modRevision, 'new')
            await store.put(`k${String(size - 1 - i).padStart(5, '0')}`, all[size - 1 - i]!.modRevision, 'new')
          }
        })()
        for (let i = 0; i < 5; i++) {
          const page = await under.backend.range(store.bounds, never)
          const changed = page.items.filter(item => item.value.toString() === 'new').map(item => item.modRevision)
          expect(page.items).to.have.length(size)
          expect(Math.max(0, ...changed)).to.be.at.most(page.revision)
          expect(changed.length).to.equal(changed.length === 0 ? 0 : Math.max(...changed) - Math.min(...changed) + 1)
        }
        done = true
        await writer
      })

      it('pass each item to a visitor once, with the values of one revision', async () => {
        const size = 2500
        const value = (i: number): string => `${i} `.repeat(1 + (i % 400))
        await Promise.all(Array.from({ length: size }, (_, i) => store.put(`k${String(i).padStart(5, '0')}`, 0, value(i))))
        const { items: expected, revision: at } = await under.backend.range(store.bounds, never)
        await store.put('k00000', expected[0]!.modRevision, 'later')
        await store.remove('k02499', expected[size - 1]!.modRevision)
        const seen: KeyValue[] = []
        // A value is valid until the visitor returns.
        const visit = ({ key, value, createRevision, modRevision }: KeyValue): void =>
          void seen.push({ key, value: Buffer.from(value), createRevision, modRevision })
        for await (const { items } of rangePages(under.backend, { ...store.bounds, at, visit }, never))
          for (const item of items) visit(item)
        expect(seen).to.deep.equal(expected)
      })

      it('reject a future revision', async () => {
        const future = ((await under.backend.currentRevision(never)) + 1000) as Revision
        expect(await codeOf(store.list({ at: future }))).to.equal('future')
        expect(await codeOf(store.text('a', future))).to.equal('future')
        expect(await codeOf(under.backend.compact(future, never))).to.equal('future')
      })
    })

    describe('watches', () => {
      it('deliver past events, then live ones', async () => {
        const a = await store.put('a', 0, '1')
        const b = await store.put('b', 0, '1')
        const rest = async () => {
          const c = await store.put('c', 0, '1')
          await store.put('a', a, '2')
          await store.remove('c', c)
        }
        const seen = store.changes(5, a, { onOpen: () => void rest() })
        expect(await within(5000, 'the last event', seen)).to.deep.equal(['put a=1', 'put b=1', 'put c=1', 'put a=2', 'delete c'])
        expect(await store.changes(4, b)).to.deep.equal(['put b=1', 'put c=1', 'put a=2', 'delete c'])
      })

      it('can start at the next change', async () => {
        await store.put('a', 0, '1')
        const from = (await under.backend.currentRevision(never)) + 1
        expect(await within(5000, 'the event', store.changes(1, from, { onOpen: () => void store.put('b', 0, '1') }))).to.deep.equal([
          'put b=1',
        ])
      })

      it('distinguish creations, updates and deletions, with the previous value', async () => {
        const a = await store.put('a', 0, '1')
        const updated = await store.put('a', a, '2')
        const deleted = await store.remove('a', updated)
        const again = await store.put('a', 0, '3')
        const key = store.key('a')
        const value = (text: string, modRevision: Revision) => ({ key, value: Buffer.from(text), createRevision: a, modRevision })
        const expected = [
          { type: 'put', key, modRevision: a, createRevision: a, value: Buffer.from('1') },
          { type: 'put', key, modRevision: updated, createRevision: a, value: Buffer.from('2'), previous: value('1', a) },
          { type: 'delete', key, modRevision: deleted, createRevision: 0, previous: value('2', updated) },
          { type: 'put', key, modRevision: again, createRevision: again, value: Buffer.from('3') },
        ]
        expect(await store.events(4, a, { previous: true })).to.deep.equal(expected)
        expect(await store.events(4, a)).to.deep.equal(expected.map(({ previous: _, ...event }) => event))
      })

      it('include the previous value in live events', async () => {
        const change = async () => store.remove('a', await store.put('a', await store.put('a', 0, '1'), '2'))
        const from = (await under.backend.currentRevision(never)) + 1
        const events = await within(5000, 'the events', store.events(3, from, { previous: true, onOpen: () => void change() }))
        expect(events.map(({ previous }) => previous?.value.toString())).to.deep.equal([undefined, '1', '2'])
      })

      it('deliver only keys within their bounds', async () => {
        const from = await store.put('a', 0, '')
        const outside = new Store(under.backend, `${store.prefix.slice(0, -1)}0/`)
        await outside.put('z', 0, '')
        for (const name of ['b', 'c', 'd']) await store.put(name, 0, '')
        expect(await store.changes(4, from)).to.deep.equal(['put a=', 'put b=', 'put c=', 'put d='])
        expect(await store.changes(2, from, { start: store.key('b'), end: store.key('d') })).to.deep.equal(['put b=', 'put c='])
      })

      it('deliver every revision of the whole keyspace, in order and once', async () => {
        const from = (await under.backend.currentRevision(never)) + 1
        const count = 500
        const write = () => Promise.all(Array.from({ length: count }, (_, i) => store.put(`k${i}`, 0, '')))
        let last = from - 1
        const revisions: number[] = []
        const run = (async () => {
          for await (const batch of store.watch(from, { start: keyspaceStart, end: keyspaceEnd, onOpen: () => void write() })) {
            for (const event of batch.events) revisions.push(event.modRevision)
            expect(batch.revision).to.be.at.least(Math.max(last, revisions.at(-1) ?? 0))
            last = batch.revision
            if (revisions.length >= count) break
          }
        })()
        await within(10_000, 'the last event', run)
        expect(revisions).to.deep.equal(Array.from({ length: count }, (_, i) => from + i))
      })

      it('lose no event if the reader is slow', async () => {
        const from = (await under.backend.currentRevision(never)) + 1
        const { backlog: count = 12_000 } = under
        let seen = 0
        let written: Promise<unknown> | undefined
        const write = async () => {
          for (let i = 0; i < count; i += 500) await Promise.all(Array.from({ length: 500 }, (_, j) => store.put(`k${i + j}`, 0, 'x')))
        }
        const onOpen = () => {
          written = write()
        }
        for await (const batch of store.watch(from, { onOpen })) {
          for (const event of batch.events) expect(event.modRevision).to.equal(from + seen++)
          if (seen < count / 10) await written
          if (seen >= count) break
        }
        expect(seen).to.equal(count)
      })

      it('end when their signal aborts, and when the reader stops', async () => {
        const aborter = new AbortController()
        const run = (async () => {
          for await (const _ of store.watch(0, { onOpen: () => setTimeout(() => aborter.abort(), 10) }, aborter.signal));
        })()
        await within(2000, 'the end', run)
        for await (const _ of store.watch(0, {}, AbortSignal.abort())) throw new Error('an aborted watch gave something')
      })
    })

    describe('compaction', () => {
      it('keeps the compacted revision, and rejects earlier ones', async () => {
        const a = await store.put('a', 0, '1')
        const b = await store.put('b', 0, '1')
        const deleted = await store.remove('b', b)
        const at = await store.put('a', a, '2')
        const now = await store.put('c', 0, '1')
        await under.backend.compact(at, never)
        await under.backend.compact(at, never)
        await under.backend.compact(b, never)
        expect(await codeOf(store.list({ at: deleted }))).to.equal('compacted')
        expect(await codeOf(store.text('a', b))).to.equal('compacted')
        expect((await store.list({ at })).items).to.deep.equal(['a=2'])
        expect((await store.list({ at: now })).items).to.deep.equal(['a=2', 'c=1'])
        expect((await store.list()).items).to.deep.equal(['a=2', 'c=1'])
        expect(await store.changes(2, at)).to.deep.equal(['put a=2', 'put c=1'])
      })

      it('ends a watch from an earlier revision with the oldest available one', async () => {
        const a = await store.put('a', 0, '1')
        const at = await store.put('a', a, '2')
        await under.backend.compact(at, never)
        const error = await store.changes(1, a).catch(e => e)
        expect([error.code, error.compactRevision]).to.deep.equal(['compacted', at])
      })

      it('does not disturb running writes and watches', async () => {
        const from = (await under.backend.currentRevision(never)) + 1
        const write = async () => {
          let revision: Revision | 0 = 0
          for (let i = 0; i < 40; i++) {
            revision = await store.put('a', revision, String(i))
            if (i % 10 === 9) await under.backend.compact(revision, never)
          }
        }
        const changes = await within(10_000, 'the last event', store.changes(40, from, { onOpen: () => void write() }))
        expect(changes).to.deep.equal(Array.from({ length: 40 }, (_, i) => `put a=${i}`))
        expect(await store.text('a')).to.equal('39')
      })
    })

    describe('time to live', () => {
      it('deletes the key with an ordinary event', async () => {
        const put = await store.put('short', 0, 'x', 1)
        await store.put('long', 0, 'x', 3600)
        const events = await within(10_000, 'the expiry', store.events(3, put, { previous: true }))
        expect(events.map(({ type, key }) => `${type} ${key}`)[2]).to.equal(`delete ${store.key('short')}`)
        expect(events[2]?.previous?.modRevision).to.equal(put)
        expect((await store.list()).items).to.deep.equal(['long=x'])
      })

      it('is removed by a write without one', async () => {
        const put = await store.put('kept', 0, 'x', 1)
        await store.put('kept', put, 'y')
        const mark = await store.put('mark', 0, 'x', 1)
        await within(10_000, 'the expiry', store.changes(2, mark))
        expect((await store.list()).items).to.deep.equal(['kept=y'])
      })
    })

    it('rejects calls whose signal is aborted', async () => {
      const { backend } = under
      const aborted = AbortSignal.abort()
      const key = store.key('a')
      const calls = [
        backend.get(key, aborted),
        backend.range(store.bounds, aborted),
        backend.write({ key, expected: 0, value: Buffer.from('x') }, aborted),
        backend.currentRevision(aborted),
      ]
      for (const call of calls) expect(await codeOf(call)).to.equal('aborted')
      expect(await store.text('a')).to.equal(undefined)
    })

    it('passes a health check', () => under.backend.check(never))

    it('ends watches and rejects calls after it is closed', async () => {
      const other = await factory()
      const closing = new Store(other.backend, '/registry/closing/')
      const written = await closing.put('a', 0, 'x')
      const watching = closing.changes(2, written, { onOpen: () => void other.backend.close() })
      expect(await within(5000, 'the end of the watch', codeOf(watching))).to.equal('unavailable')
      expect(await codeOf(closing.put('b', 0, 'x'))).to.equal('unavailable')
      expect(await codeOf(other.backend.get('/registry/a' as Key, never))).to.equal('unavailable')
      await other.dispose()
    })
  })
}
