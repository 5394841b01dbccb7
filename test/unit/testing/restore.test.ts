import { expect } from 'chai'
import { systemClock } from '../../../src/lib/clock.ts'
import { silentLogger } from '../../../src/lib/log.ts'
import type { Backend } from '../../../src/storage/backend.ts'
import { readNumber, readRevision } from '../../../src/storage/embedded/layout.ts'
import { type MemoryTables, memoryTables } from '../../../src/storage/embedded/memory-tables.ts'
import { openInMemory } from '../../../src/storage/embedded/open-embedded.ts'
import { key, type Revision } from '../../../src/storage/revision.ts'
import { restoreTables } from '../../../src/testing/restore.ts'

const { signal } = new AbortController()

describe('restoreTables', () => {
  let tables: MemoryTables
  let backend: Backend

  beforeEach(() => {
    tables = memoryTables()
    backend = openInMemory(systemClock, silentLogger, { tables })
  })
  afterEach(() => backend.close())

  const put = async (name: string, value: string | undefined, expected: Revision | 0, ttlSeconds?: number): Promise<Revision> => {
    const written = await backend.write(
      { key: key(name), expected, ...(value !== undefined && { value: Buffer.from(value) }), ...(ttlSeconds && { ttlSeconds }) },
      signal,
    )
    if (!written.ok) throw new Error('not written')
    return written.revision
  }
  const held = async (): Promise<Record<string, string>> => {
    const { items } = await backend.range({ start: key('\0'), end: key('\xff') }, signal)
    return Object.fromEntries(items.map(({ key: name, value }) => [name, `${value}`]))
  }

  it('writes only differences', async () => {
    await put('/same', 'a', 0)
    const changed = await put('/changed', 'b', 0)
    const deleted = await put('/deleted', 'c', 0)
    const gone = await put('/gone', 'd', 0)
    await put('/gone', undefined, gone)
    const kept = { tables: tables.fork(), at: Date.now() }
    const next = await put('/changed', 'B', changed)
    await put('/changed', 'b', next)
    await put('/deleted', undefined, deleted)
    await put('/new', 'e', 0)
    const before = await backend.currentRevision(signal)
    await restoreTables(backend, tables, kept)
    expect(await held()).to.deep.equal({ '/changed': 'b', '/deleted': 'c', '/same': 'a' })
    // Neither rewritten objects nor earlier deletions.
    expect(await backend.currentRevision(signal)).to.equal(before + 2)
  })

  it('restores compacted revisions', async () => {
    const deleted = await put('/deleted', 'c', 0)
    const kept = { tables: tables.fork(), at: Date.now() }
    await put('/deleted', undefined, deleted)
    await backend.compact(await put('/other', 'x', 0), signal)
    while (tables.latest.getBinaryFast(Buffer.from('/deleted')) !== undefined) await new Promise(resolve => setImmediate(resolve))
    await restoreTables(backend, tables, kept)
    expect(await held()).to.deep.equal({ '/deleted': 'c' })
  })

  it('restores the remaining TTL', async () => {
    const written = await put('/event', 'e', 0, 100)
    const kept = { tables: tables.fork(), at: Date.now() + 40_000 }
    await put('/event', undefined, written)
    await restoreTables(backend, tables, kept)
    const newest = await backend.currentRevision(signal)
    const [row] = [...tables.expiry.getKeys({})].filter(id => readRevision(id, 8) === newest)
    const left = row === undefined ? 0 : readNumber(row, 0) - Date.now()
    expect(left).to.be.within(55_000, 61_000)
  })
})
