import { expect } from 'chai'
import { memoryTables } from '../../../../src/storage/embedded/memory-tables.ts'

const bytes = (...values: number[]): Buffer => Buffer.from(values)
const rows = (range: Iterable<{ readonly key: Buffer; readonly value: Buffer }>): string[] =>
  Array.from(range, ({ key, value }) => `${key.toString('hex')}=${value}`)

describe('tables in memory', () => {
  it('are ordered by bytes, from an inclusive start to an exclusive end', async () => {
    const { latest, commit } = memoryTables()
    await commit(() => {
      for (const key of [bytes(0xff), bytes(0x7f), bytes(0x80), bytes(0x01), bytes(0x01, 0x00)]) latest.putSync(key, Buffer.from('v'))
    })
    expect(rows(latest.getRange({}))).to.deep.equal(['01=v', '0100=v', '7f=v', '80=v', 'ff=v'])
    expect(rows(latest.getRange({ start: bytes(0x01, 0x00), end: bytes(0xff) }))).to.deep.equal(['0100=v', '7f=v', '80=v'])
    expect(rows(latest.getRange({ limit: 1 }))).to.deep.equal(['01=v'])
    expect([...latest.getKeys({ start: bytes(0x81) })]).to.deep.equal([bytes(0xff)])
  })

  it('keep nothing of a commit that throws', async () => {
    const tables = memoryTables()
    const { log, latest, commit } = tables
    await commit(() => {
      log.putSync(bytes(1), Buffer.from('one'))
      log.putSync(bytes(2), Buffer.from('two'))
    })
    const before = tables.bytes()
    const failed = commit(() => {
      log.putSync(bytes(1), Buffer.from('changed'))
      log.putSync(bytes(1), Buffer.from('changed again'))
      log.removeSync(bytes(2))
      log.putSync(bytes(3), Buffer.from('three'))
      latest.putSync(bytes(1), Buffer.from('new'))
      throw new Error('no')
    })
    expect(await failed.catch((error: Error) => error.message)).to.equal('no')
    expect(rows(log.getRange({}))).to.deep.equal(['01=one', '02=two'])
    expect(rows(latest.getRange({}))).to.deep.equal([])
    expect(tables.bytes()).to.equal(before)
  })

  it('keep the rows of a new store if its first commit throws', async () => {
    const { meta, commit } = memoryTables()
    const before = rows(meta.getRange({}))
    await commit(() => {
      throw new Error('no')
    }).catch(() => {})
    expect(before).to.have.length(4)
    expect(rows(meta.getRange({}))).to.deep.equal(before)
  })

  it('count their bytes', async () => {
    const tables = memoryTables()
    const empty = tables.bytes()
    await tables.commit(() => tables.log.putSync(bytes(1), Buffer.alloc(1000)))
    expect(tables.bytes()).to.equal(empty + 1001)
    await tables.commit(() => tables.log.putSync(bytes(1), Buffer.alloc(10)))
    expect(tables.bytes()).to.equal(empty + 11)
    await tables.commit(() => tables.log.removeSync(bytes(1)))
    await tables.commit(() => tables.log.removeSync(bytes(1)))
    expect(tables.bytes()).to.equal(empty)
  })

  it('store values that retain no larger buffer', async () => {
    const { log, commit } = memoryTables()
    const large = Buffer.alloc(100_000, 'x')
    await commit(() => log.putSync(bytes(1), large.subarray(0, 10)))
    expect(log.getBinaryFast(bytes(1))?.buffer.byteLength).to.equal(10)
  })

  it('fork: neither side sees changes of the other', async () => {
    const first = memoryTables()
    const put = (tables: typeof first, ...rows: readonly [number, string][]): Promise<void> =>
      tables.commit(() => {
        for (const [key, value] of rows) tables.log.putSync(bytes(key), Buffer.from(value))
      })
    await put(first, [1, 'one'], [2, 'two'])
    const second = first.fork()
    expect(second.bytes()).to.equal(first.bytes())
    await put(first, [1, 'changed'])
    await put(second, [2, 'deux'], [3, 'trois'])
    await first.close()
    const third = first.fork()
    await second.commit(() => second.log.removeSync(bytes(1)))
    expect(rows(first.log.getRange({}))).to.deep.equal(['01=changed', '02=two'])
    expect(rows(second.log.getRange({}))).to.deep.equal(['02=deux', '03=trois'])
    expect(rows(third.log.getRange({}))).to.deep.equal(['01=changed', '02=two'])
    expect(second.bytes() - third.bytes()).to.equal('2deux3trois'.length - '1changed2two'.length)
  })

  it('reject commits once they are closed', async () => {
    const { close, commit } = memoryTables()
    await close()
    expect(await commit(() => {}).catch((error: Error) => error.message)).to.equal('the store is closed')
  })
})
