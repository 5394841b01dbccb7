import { expect } from 'chai'
import { silentLogger } from '../../../../src/lib/log.ts'
import { openCompactor, SWEEP_BYTES } from '../../../../src/storage/embedded/compactor.ts'
import type { Tables } from '../../../../src/storage/embedded/environment.ts'
import { DELETION_RECORD, encodeLatest, encodeRecord, numberBytes, PUT_RECORD } from '../../../../src/storage/embedded/layout.ts'
import { memoryTables } from '../../../../src/storage/embedded/memory-tables.ts'
import { metaRevision, setMeta } from '../../../../src/storage/embedded/tables.ts'
import { revision } from '../../../../src/storage/revision.ts'
import { eventually } from '../../../support/waiting.ts'

/** Tables with changes of one key, each of this size, and the bytes of records that each commit reads. */
async function tablesOf(count: number, size: number): Promise<{ tables: Tables; read: number[] }> {
  const own = memoryTables()
  const read: number[] = []
  const tables: Tables = {
    ...own,
    commit: change => {
      read.push(0)
      return own.commit(change)
    },
  }
  const get = own.log.getBinaryFast.bind(own.log)
  own.log.getBinaryFast = id => {
    const bytes = get(id)
    read.push((read.pop() ?? 0) + (bytes?.length ?? 0))
    return bytes
  }
  const key = Buffer.from('/registry/a')
  await own.commit(() => {
    for (let i = 2; i < count + 2; i++) {
      const before = i === 2 ? 0 : i - 1
      const record = encodeRecord({ kind: PUT_RECORD, createRevision: 2, before }, key, Buffer.alloc(size))
      own.log.putSync(numberBytes(i), record)
    }
    setMeta(own, 'compacted', 0)
    setMeta(own, 'swept', 0)
  })
  return { tables, read }
}

const logOf = (tables: Tables): number => [...tables.log.getKeys({})].length

describe('sweep of compacted history', () => {
  it('reads records up to a number of bytes in each commit', async () => {
    const size = SWEEP_BYTES / 4
    const { tables, read } = await tablesOf(40, size)
    const compactor = openCompactor(tables, silentLogger)
    await compactor.compact(revision(41))
    await eventually('all is swept', () => metaRevision(tables, 'swept') === 41)
    await compactor.close()
    expect(logOf(tables)).to.equal(1)
    expect(Math.max(...read)).to.be.below(SWEEP_BYTES + size)
    expect(read.length).to.be.above(10)
  })

  it('sweeps records that are larger than a commit may read', async () => {
    const { tables, read } = await tablesOf(5, 2 * SWEEP_BYTES)
    const compactor = openCompactor(tables, silentLogger)
    for (const bound of [3, 4, 6]) {
      await compactor.compact(revision(bound))
      await eventually('all is swept', () => metaRevision(tables, 'swept') === bound)
    }
    await compactor.close()
    expect(logOf(tables)).to.equal(1)
    expect(Math.max(...read)).to.be.below(3 * SWEEP_BYTES)
  })

  it('removes a deletion once the bound is after it', async () => {
    const { tables } = await tablesOf(2, 10)
    const key = Buffer.from('/registry/a')
    await tables.commit(() => {
      tables.log.putSync(numberBytes(4), encodeRecord({ kind: DELETION_RECORD, createRevision: 0, before: 3 }, key, undefined))
      tables.latest.putSync(key, encodeLatest({ modRevision: revision(4), createRevision: revision(0), live: false }))
    })
    const compactor = openCompactor(tables, silentLogger)
    const keys = (): number => [...tables.latest.getKeys({})].length
    await compactor.compact(revision(4))
    await eventually('all is swept', () => metaRevision(tables, 'swept') === 4)
    expect([logOf(tables), keys()]).to.deep.equal([1, 1])
    await compactor.compact(revision(5))
    await eventually('all is swept', () => metaRevision(tables, 'swept') === 5)
    await compactor.close()
    expect([logOf(tables), keys()]).to.deep.equal([0, 0])
  })
})
