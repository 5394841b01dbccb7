import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { silentLogger } from '../../../../src/lib/log.ts'
import { seededRandom } from '../../../../src/lib/seeded-random.ts'
import type { Backend } from '../../../../src/storage/backend.ts'
import type { Table } from '../../../../src/storage/embedded/environment.ts'
import { memoryTables } from '../../../../src/storage/embedded/memory-tables.ts'
import { openEmbedded, openInMemory } from '../../../../src/storage/embedded/open-embedded.ts'
import { openTables } from '../../../../src/storage/embedded/tables.ts'
import { revision } from '../../../../src/storage/revision.ts'
import type { StoreHistory } from '../../../../src/storage/store-history.ts'
import { codeOf, never, Store } from '../../../support/backend.ts'
import { clockOf } from '../../../support/clock-of.ts'

const ALL = { limit: 10_000, bytes: Number.POSITIVE_INFINITY }

function historyOf({ backend }: Store): StoreHistory {
  if (backend.history === undefined) throw new Error('the store keeps no history')
  return backend.history
}

/** Model of the store: everything that was written. */
class Model {
  /** By revision, from the one that the history begins with: when it was made, and what there was then. */
  readonly states: { readonly revision: number; readonly time: number; readonly values: ReadonlyMap<string, string> }[]
  readonly changes = new Map<string, string[]>()

  constructor(revision: number, time: number) {
    this.states = [{ revision, time, values: new Map() }]
  }

  get last() {
    const last = this.states.at(-1)
    if (last === undefined) throw new Error('there is a state from the beginning on')
    return last
  }

  add(revision: number, time: number, name: string, value: string | undefined): void {
    const values = new Map(this.last.values)
    const type = value === undefined ? 'deleted' : values.has(name) ? 'updated' : 'created'
    if (value === undefined) values.delete(name)
    else values.set(name, value)
    this.states.push({ revision, time: Math.max(time, this.last.time), values })
    this.changes.set(name, [`${revision} ${type}${value === undefined ? '' : ` ${value}`}`, ...(this.changes.get(name) ?? [])])
  }
}

const listed = (values: ReadonlyMap<string, string>): string[] => [...values].map(([name, value]) => `${name}=${value}`).sort()

async function changesOf(store: Store, name: string, limit = 10_000): Promise<string[]> {
  const found: string[] = []
  for (let from: number | undefined; from !== 0; ) {
    const page = await historyOf(store).changes(store.key(name), { ...ALL, limit, ...(from && { from: revision(from) }) }, never)
    found.push(...page.changes.map(({ type, revision, value }) => `${revision} ${type}${value ? ` ${value}` : ''}`))
    from = page.next
  }
  return found
}

describe('history that the embedded store keeps', () => {
  let dir: string
  let now: number
  let open: Backend[]
  const clock = clockOf(() => now)

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'history-'))
    now = 1_000_000
    open = []
  })
  afterEach(async () => {
    for (const backend of open) await backend.close()
    rmSync(dir, { recursive: true, force: true })
  })

  async function start(keepsHistory = true): Promise<Store> {
    for (const backend of open.splice(0)) await backend.close()
    open.push(await openEmbedded({ dir, keepsHistory }, clock, silentLogger))
    return new Store(open[0] as Backend, '/registry/')
  }

  it('records the time of each revision, and returns the state at a time', async () => {
    const store = await start()
    const history = historyOf(store)
    expect(history.oldest()).to.deep.equal({ revision: 1, time: 1_000_000 })
    now += 500
    const a = await store.put('a', 0, '1')
    now += 1
    const b = await store.put('a', a, '2')
    now += 1000
    expect([1, a, b].map(at => history.timeOf(revision(at)))).to.deep.equal([undefined, 1_000_500, 1_000_501])
    const found = [999_999, 1_000_000, 1_000_499, 1_000_500, 1_000_501, 2_000_000].map(time => history.momentAt(time)?.revision)
    expect(found).to.deep.equal([undefined, 1, 1, a, b, b])
  })

  it('uses the same time while the clock is set back', async () => {
    const store = await start()
    await store.put('a', 0, '1')
    now -= 5000
    const b = await store.put('b', 0, '1')
    expect(historyOf(store).timeOf(b)).to.equal(1_000_000)
    const again = await start()
    now += 4000
    const c = await again.put('c', 0, '1')
    expect(historyOf(again).timeOf(c)).to.equal(1_000_000)
    now += 2000
    const d = await again.put('d', 0, '1')
    expect(historyOf(again).timeOf(d)).to.equal(1_001_000)
  })

  it('starts in a store created without it, and continues if the store was opened without it meanwhile', async () => {
    const plain = await start(false)
    expect(plain.backend.history).to.equal(undefined)
    const a = await plain.put('a', 0, '1')
    await plain.remove('gone', await plain.put('gone', 0, '1'))
    now += 1000
    const kept = await start()
    const [oldest] = [historyOf(kept).oldest()]
    expect(oldest).to.deep.equal({ revision: a + 2, time: now })
    expect(historyOf(kept).momentAt(now - 1)).to.equal(undefined)
    expect(await changesOf(kept, 'gone')).to.deep.equal([`${a + 2} deleted`, `${a + 1} created 1`])
    now += 1000
    const b = await kept.put('a', a, '2')
    await kept.put('gone', 0, '2')
    const off = await start(false)
    now += 1000
    const c = await off.put('a', b, '3')
    await off.remove('gone', (await off.backend.get(off.key('gone'), never)).item?.modRevision ?? 0)
    expect((await off.list()).items).to.deep.equal(['a=3'])
    expect((await off.list({ at: b })).items).to.deep.equal(['a=2'])
    const again = await start()
    expect(historyOf(again).timeOf(c)).to.equal(now)
    expect(await changesOf(again, 'a')).to.deep.equal([`${c} updated 3`, `${b} updated 2`, `${a} created 1`])
    expect(await changesOf(again, 'gone')).to.deep.equal([
      `${c + 1} deleted`,
      `${b + 1} created 2`,
      `${a + 2} deleted`,
      `${a + 1} created 1`,
    ])
  })

  it('drops states older than a time, and keeps the one at that time', async () => {
    const store = await start()
    const history = historyOf(store)
    const a = await store.put('a', 0, '1')
    now += 1000
    const b = await store.put('a', a, '2')
    const c = await store.remove('b', await store.put('b', 0, '1'))
    now += 1000
    const d = await store.put('a', b, '3')
    expect(await history.retain(1_000_999, 1e9)).to.equal(a)
    expect(await store.text('a', a)).to.equal('1')
    expect(await history.retain(1_001_500, 1e9)).to.equal(c)
    expect(history.oldest()).to.deep.equal({ revision: c, time: 1_001_000 })
    expect(await codeOf(store.text('a', b))).to.equal('compacted')
    expect(await store.text('a', c)).to.equal('2')
    expect(history.momentAt(1_000_999)).to.equal(undefined)
    expect(() => history.timeOf(a)).to.throw('revision 2 is compacted')
    expect(await changesOf(store, 'a')).to.deep.equal([`${d} updated 3`, `${b} updated 2`])
    expect(await changesOf(store, 'b')).to.deep.equal([`${c} deleted`])
    expect(await history.retain(0, 1e9)).to.equal(c)
    expect(await history.retain(now, 1e9)).to.equal(d)
    expect(await changesOf(store, 'a')).to.deep.equal([`${d} updated 3`])
    expect(await changesOf(store, 'b')).to.deep.equal([])
  })

  it('counts the bytes of replaced values and deletions, and drops the oldest beyond the limit', async () => {
    const store = await start()
    const history = historyOf(store)
    let last = await store.put('a', 0, 'x'.repeat(1000))
    await store.put('live', 0, 'x'.repeat(100_000))
    expect(history.size().bytes).to.equal(0)
    for (let i = 0; i < 50; i++) last = await store.put('a', last, 'x'.repeat(1000))
    expect(history.size().bytes).to.be.within(50 * 1000, 50 * 1200)
    const all = history.size().bytes
    await history.retain(0, all)
    expect(history.size().bytes).to.equal(all)
    const oldest = await history.retain(0, all / 2)
    expect(history.size().bytes).to.be.within(all * 0.4, all * 0.45)
    expect(await store.text('a', oldest)).to.have.lengthOf(1000)
    await store.remove('a', last)
    expect(await history.retain(0, 0)).to.equal(last + 1)
    expect(history.size().bytes).to.equal(0)
    const again = await start()
    expect(historyOf(again).size().bytes).to.equal(0)
    expect((await again.list()).items).to.have.lengthOf(1)
  })

  it('removes a deleted key from the tables once its deletion is compacted', async () => {
    const store = await start()
    for (const name of ['a', 'b']) await store.remove(name, await store.put(name, 0, '1'))
    await store.put('b', 0, '2')
    await store.put('c', 0, '1')
    await historyOf(store).retain(now, 1e9)
    await store.backend.close()
    const tables = await openTables(dir)
    const namesIn = (table: Table): string[] => [...table.getKeys({})].map(name => name.toString())
    expect(namesIn(tables.latest)).to.deep.equal(['/registry/b', '/registry/c'])
    expect(namesIn(tables.deleted)).to.deep.equal([])
    expect([...tables.log.getKeys({})]).to.have.lengthOf(2)
    await tables.close()
  })

  it('finds an old value of a key that has changed often in few reads', async () => {
    let reads = 0
    const counted = (table: Table): Table => ({
      getRange: range => table.getRange(range),
      getKeys: range => table.getKeys(range),
      putSync: (id, value) => table.putSync(id, value),
      removeSync: id => table.removeSync(id),
      getBinaryFast(id) {
        reads++
        return table.getBinaryFast(id)
      },
    })
    const tables = memoryTables()
    const { log } = tables
    const backend = openInMemory(clock, silentLogger, { keepsHistory: true, tables: Object.assign(tables, { log: counted(log) }) })
    const store = new Store(backend, '/registry/')
    const made = [await store.put('a', 0, '0')]
    for (let i = 1; i < 5000; i++) made.push(await store.put('a', made.at(-1) ?? 0, String(i)))
    for (let i = 0; i < 5000; i += 97) {
      reads = 0
      expect(await store.text('a', made[i])).to.equal(String(i))
      expect(reads).to.be.at.most(40)
    }
    await historyOf(store).retain(now, 0)
    expect(await store.text('a', made.at(-1))).to.equal('4999')
  })

  it('returns the changes of one key, in pages', async () => {
    const store = await start()
    let last = await store.put('a', 0, '0')
    for (let i = 1; i < 10; i++) last = await store.put('a', last, String(i))
    const other = await store.put('ab', 0, 'secret')
    expect(await changesOf(store, 'a', 3)).to.have.lengthOf(10)
    const history = historyOf(store)
    expect(await history.changes(store.key('a'), { ...ALL, from: other }, never)).to.deep.equal({ changes: [], next: 0 })
    expect((await history.changes(store.key('a'), { limit: 5, bytes: 2 }, never)).changes).to.have.lengthOf(2)
    const { next } = await history.changes(store.key('a'), { ...ALL, limit: 5 }, never)
    await history.retain(now, 1e9)
    expect(await codeOf(history.changes(store.key('a'), { ...ALL, from: next }, never))).to.equal('compacted')
    expect(await history.changes(store.key('none'), ALL, never)).to.deep.equal({ changes: [], next: 0 })
  })

  it('includes keys in a list that were deleted since it began, once', async () => {
    const store = await start()
    const value = 'x'.repeat(200)
    const revisions = await Promise.all(Array.from({ length: 30_000 }, (_, i) => store.put(`k${String(i).padStart(5, '0')}`, 0, value)))
    const listing = store.list()
    await Promise.all(
      [7, 29_990, 29_999].map(i =>
        store.remove(
          `k${i}`.replace(/k(\d+)/, (_, n: string) => `k${n.padStart(5, '0')}`),
          revisions[i] ?? 0,
        ),
      ),
    )
    await store.put('k29990', 0, 'again')
    const page = await listing
    expect(page.items).to.have.lengthOf(30_000)
    expect(new Set(page.items)).to.have.property('size', 30_000)
    expect((await store.list()).items).to.have.lengthOf(29_998)
  })

  for (const kind of ['on disk', 'in memory'] as const)
    it(`matches the writes, through a random history ${kind}`, async () => {
      const random = seededRandom(kind === 'on disk' ? 11 : 12)
      const below = (n: number): number => Math.floor(random() * n)
      const opened = async (): Promise<Store> =>
        kind === 'on disk' ? start() : new Store(openInMemory(clock, silentLogger, { keepsHistory: true }), '/registry/')
      let store = await opened()
      const model = new Model(1, now)
      const heads = new Map<string, number>()
      let oldest = 1
      const check = async (): Promise<void> => {
        for (const { revision: at, time, values } of model.states) {
          const next = model.states.find(state => state.revision === at + 1)
          if (at < oldest) {
            expect(await codeOf(store.list({ at: revision(at) }))).to.equal('compacted')
            continue
          }
          expect((await store.list({ at: revision(at) })).items, `at ${at}`).to.deep.equal(listed(values))
          for (const name of ['k0', 'k3']) expect(await store.text(name, revision(at)), `${name} at ${at}`).to.equal(values.get(name))
          if (next === undefined || next.time > time)
            expect(historyOf(store).momentAt(time), `at ${time}`).to.deep.equal({ revision: at, time })
        }
        for (const [name, changes] of model.changes) {
          const kept = changes.filter(change => Number.parseInt(change, 10) > oldest)
          const first = changes.find(change => Number.parseInt(change, 10) <= oldest)
          if (first !== undefined && (!first.endsWith('deleted') || Number.parseInt(first, 10) === oldest)) kept.push(first)
          expect(await changesOf(store, name, 1 + below(5)), name).to.deep.equal(kept)
          for (const at of [oldest, oldest + below(40), model.last.revision]) {
            const { changes: then } = await historyOf(store).changes(store.key(name), { ...ALL, limit: 1, at: revision(at) }, never)
            const last = kept.find(change => Number.parseInt(change, 10) <= at)
            expect(then.map(change => `${change.revision} ${change.type}`)).to.deep.equal(
              last === undefined ? [] : [last.split(' ').slice(0, 2).join(' ')],
            )
          }
        }
      }
      for (let round = 0; round < 4; round++) {
        for (let i = 0; i < 80; i++) {
          now += below(4) === 0 ? below(2000) - 200 : 0
          // A few keys have long chains.
          const name = `k${below(2) === 0 ? 0 : below(6)}`
          const value = below(5) === 0 ? undefined : `v${round}-${i}`
          const expected = heads.get(name) ?? 0
          if (value === undefined && expected === 0) continue
          const made = value === undefined ? await store.remove(name, expected) : await store.put(name, expected, value)
          heads.set(name, value === undefined ? 0 : made)
          model.add(made, now, name, value)
        }
        await check()
        if (round === 1) {
          const { time } = model.states[100] ?? model.last
          oldest = await historyOf(store).retain(time, 1e9)
          expect(oldest).to.equal(model.states.findLast(state => state.time <= time)?.revision)
        }
        if (kind === 'on disk') store = await opened()
        await check()
      }
    })
})
