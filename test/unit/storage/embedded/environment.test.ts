import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { openEnvironment, type Tables } from '../../../../src/storage/embedded/environment.ts'

const TABLES = ['log', 'latest', 'deleted', 'expiry', 'meta'] as const
/** Beyond the buffer that lmdb begins with, and falling to nothing. */
const LENGTHS = [200_000, 70_000, 20_000, 4_097, 700, 64, 20, 9, 3, 1, 0]

const idOf = (n: number): Buffer => Buffer.from(`/key/${String(n).padStart(3, '0')}`)
/**
 * No two have a byte in common at one place, so that what an earlier value left behind the end of a later one shows.
 */
const filled = (n: number): Buffer => Buffer.alloc(LENGTHS[n] ?? 0, 1 + n)

/** Results of each method of Buffer that reads a value to its end. */
const readings: Record<string, (value: Buffer) => unknown> = {
  length: value => value.length,
  byteLength: value => value.byteLength,
  'subarray(n)': value => value.subarray(1).length,
  'subarray()': value => value.subarray().length,
  'slice()': value => value.slice().length,
  'toString("utf8")': value => value.toString('utf8'),
  'toString("latin1")': value => value.toString('latin1'),
  'toString("hex")': value => value.toString('hex'),
  'toString("base64")': value => value.toString('base64'),
  copy: value => value.copy(Buffer.alloc(300_000)),
  'indexOf of a byte that is absent': value => value.indexOf(0xee),
  'indexOf of the byte of an earlier value': value => [1, 2, 3, 4, 5].map(byte => value.indexOf(byte)),
  'lastIndexOf of its own byte': value => value.lastIndexOf(value[0] ?? 0),
  includes: value => [1, 2, 3].map(byte => value.includes(byte)),
  concat: value => Buffer.concat([value, value]).toString('hex'),
  'Buffer.from': value => Buffer.from(value).toString('hex'),
  equals: value => value.equals(Buffer.alloc(value.length, value[0])),
  compare: value => value.compare(Buffer.alloc(value.length, value[0])),
  iteration: value => [...value.subarray(-3)],
  'fill of another': value =>
    Buffer.alloc(8)
      .fill(value.length > 0 ? value : 0)
      .toString('hex'),
  'JSON.stringify': value => JSON.stringify(value).length,
}

describe('environment of LMDB', () => {
  let dir: string
  let tables: Tables
  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'environment-'))
    tables = await openEnvironment(dir)
    await tables.commit(() => {
      for (const name of TABLES) for (const n of LENGTHS.keys()) tables[name].putSync(idOf(n), filled(n))
    })
  })
  after(async () => {
    await tables.close()
    rmSync(dir, { recursive: true, force: true })
  })

  /** Every reading of every value, longest first. */
  const readAll = (read: (n: number) => Buffer | undefined): Record<string, unknown[]> => {
    const all: Record<string, unknown[]> = {}
    for (const [name, reading] of Object.entries(readings)) {
      all[name] = [...LENGTHS.keys()].map(n => {
        const value = read(n)
        return value && reading(value)
      })
    }
    return all
  }

  for (const name of TABLES) {
    it(`reads exactly the bytes of each value of ${name}, by every method of Buffer`, () => {
      const expected = readAll(filled)
      expect(readAll(n => tables[name].getBinaryFast(idOf(n)))).to.deep.equal(expected)
      expect(readAll(n => [...tables[name].getRange({ start: idOf(n), limit: 1 })][0]?.value)).to.deep.equal(expected)
    })

    it(`reads exactly the bytes of each value of ${name} within a commit`, async () => {
      const read = await tables.commit(() => readAll(n => tables[name].getBinaryFast(idOf(n))))
      expect(read).to.deep.equal(readAll(filled))
    })

    it(`reads exactly the bytes of each key of ${name}`, () => {
      const expected = [...LENGTHS.keys()].map(n => idOf(n).toString())
      expect([...tables[name].getKeys({})].map(key => key.toString())).to.deep.equal(expected)
      expect([...tables[name].getRange({})].map(({ key }) => Buffer.concat([key]).toString())).to.deep.equal(expected)
    })
  }
})
