import { expect } from 'chai'
import { systemClock } from '../../../../src/lib/clock.ts'
import { silentLogger } from '../../../../src/lib/log.ts'
import type { Backend, KeyValue } from '../../../../src/storage/backend.ts'
import { DirectStorage } from '../../../../src/storage/direct/direct-storage.ts'
import type { Table } from '../../../../src/storage/embedded/environment.ts'
import { memoryTables } from '../../../../src/storage/embedded/memory-tables.ts'
import { openInMemory } from '../../../../src/storage/embedded/open-embedded.ts'
import { prefixEnd } from '../../../../src/storage/key-range.ts'
import { rangePages } from '../../../../src/storage/range-pages.ts'
import type { Key } from '../../../../src/storage/revision.ts'
import { never } from '../../../support/backend.ts'
import { everything, testCodec, testKey, testObject, testPrefix } from '../../../support/test-codec.ts'

const OBJECTS = 6000

/** Rows that were read of a table. */
class CountedTable implements Table {
  reads = 0
  readonly #table: Table

  constructor(table: Table) {
    this.#table = table
  }

  getBinaryFast(id: Buffer): Buffer | undefined {
    this.reads++
    return this.#table.getBinaryFast(id)
  }

  *getRange(range: Parameters<Table['getRange']>[0]): ReturnType<Table['getRange']> & Generator<{ key: Buffer; value: Buffer }> {
    for (const row of this.#table.getRange(range)) {
      this.reads++
      yield row
    }
  }

  getKeys(range: Parameters<Table['getKeys']>[0]): Iterable<Buffer> {
    return this.#table.getKeys(range)
  }

  putSync(id: Buffer, value: Buffer): void {
    this.#table.putSync(id, value)
  }

  removeSync(id: Buffer): void {
    this.#table.removeSync(id)
  }
}

describe('storage/embedded: reads in pages', () => {
  let backend: Backend
  let reads: () => number

  before(async () => {
    const tables = memoryTables()
    const [log, latest] = [new CountedTable(tables.log), new CountedTable(tables.latest)]
    backend = openInMemory(systemClock, silentLogger, { tables: { ...tables, log, latest } })
    await Promise.all(
      Array.from({ length: OBJECTS }, (_, i) =>
        backend.write({ key: testKey(`n${i}`), expected: 0, value: testCodec.encode(testObject(`n${i}`)) }, never),
      ),
    )
    reads = () => log.reads + latest.reads
  })
  after(() => backend.close())

  /** Rows read by a call. */
  const readsOf = async (call: () => Promise<unknown>): Promise<number> => {
    const before = reads()
    await call()
    return reads() - before
  }

  it('read each key once, however long the pages are', async () => {
    const pages = async (limit: number): Promise<void> => {
      let count = 0
      for (let start: Key = testPrefix, more = true; more; ) {
        const page = await backend.range({ start, end: prefixEnd(testPrefix), limit }, never)
        count += page.items.length
        more = page.more
        start = `${page.items.at(-1)?.key}\0` as Key
      }
      expect(count).to.equal(OBJECTS)
    }
    // A row of the newest change, and its record. Each turn reads the row again at which the one before has ended.
    expect(await readsOf(() => pages(OBJECTS))).to.be.within(2 * OBJECTS, 2.1 * OBJECTS)
    expect(await readsOf(() => pages(60))).to.be.within(2 * OBJECTS, 2.1 * OBJECTS)
  })

  it('read each key once if the whole range is read', async () => {
    const all = async (): Promise<void> => {
      let count = 0
      for await (const { items } of rangePages(backend, { start: testPrefix, end: prefixEnd(testPrefix) }, never)) count += items.length
      expect(count).to.equal(OBJECTS)
    }
    expect(await readsOf(all)).to.be.within(2 * OBJECTS, 2.1 * OBJECTS)
  })

  it('pass each item to a visitor instead of copying a page, and stop at the limit', async () => {
    const visited: string[] = []
    const values = new Set<string>()
    const pages: [number, boolean][] = []
    const visit = ({ key, value }: KeyValue): void => {
      visited.push(key)
      values.add(JSON.parse(value.toString()).metadata.name)
    }
    for await (const { items, more } of rangePages(backend, { start: testPrefix, end: prefixEnd(testPrefix), visit }, never)) {
      expect(items).to.deep.equal([])
      pages.push([visited.length, more])
    }
    expect(pages).to.deep.equal([
      [500, true],
      [4500, true],
      [OBJECTS, false],
    ])
    expect([values.size, visited.length]).to.deep.equal([OBJECTS, OBJECTS])
    expect(visited).to.deep.equal([...visited].sort())
  })

  it('count a list in chunks once, however many chunks it has', async () => {
    const storage = new DirectStorage(backend, testCodec)
    const list = async (limit: number): Promise<void> => {
      let given = 0
      const first = await storage.list(testPrefix, { at: 'latest', predicate: everything, limit }, never)
      for (let page = first; ; ) {
        given += page.items.length
        expect(page.remaining ?? 0).to.equal(OBJECTS - given)
        if (page.nextKey === undefined) break
        page = await storage.list(
          testPrefix,
          { at: { exactly: first.revision }, predicate: everything, limit, startKey: page.nextKey },
          never,
        )
      }
      expect(given).to.equal(OBJECTS)
    }
    expect(await readsOf(() => list(60))).to.be.at.most(3.1 * OBJECTS)
  })
})
