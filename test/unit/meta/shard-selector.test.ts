import { expect } from 'chai'
import { fnv1a64, isLess, shardMatcher, type Uint64 } from '../../../src/meta/shard-selector.ts'

const hex = ({ high, low }: Uint64): string => high.toString(16).padStart(8, '0') + low.toString(16).padStart(8, '0')
const number = (high: number, low = 0): Uint64 => ({ high, low })

describe('shards', () => {
  // Vectors of the authors of the hash.
  const hashes: [text: string, hash: string][] = [
    ['', 'cbf29ce484222325'],
    ['a', 'af63dc4c8601ec8c'],
    ['foobar', '85944171f73967e8'],
    ['chongo was here!\n', '46810940eff5f915'],
  ]
  for (const [text, hash] of hashes)
    it(`hash ${JSON.stringify(text)} to ${hash}`, () => {
      expect(hex(fnv1a64(text))).to.equal(hash)
    })

  it('hash as big integers do', () => {
    for (const text of ['423b2afe-7140-4cda-b0fd-624e914ae6f8', 'é', 'x'.repeat(1000)]) {
      let hash = 0xcbf29ce484222325n
      for (const byte of Buffer.from(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n)
      expect(hex(fnv1a64(text))).to.equal(hash.toString(16).padStart(16, '0'))
    }
  })

  it('have ranges that include their start and exclude their end', () => {
    const { high, low } = fnv1a64('a')
    const matches = (start: Uint64, end: Uint64) => shardMatcher({ field: 'uid', ranges: [{ start, end }], text: '' })('a')
    expect(matches(number(high, low), number(high, low + 1))).to.equal(true)
    expect(matches(number(0), number(high, low))).to.equal(false)
    expect(matches(number(0), number(2 ** 32))).to.equal(true)
    expect(matches(number(high, low + 1), number(2 ** 32))).to.equal(false)
  })

  it('match a value in any range, however these overlap', () => {
    const bounds = (start: number, end: number) => ({ start: number(start), end: number(end) })
    const few = [bounds(0x4000_0000, 0x4100_0000), bounds(0, 0x3000_0000), bounds(0x1000_0000, 0x2000_0000), bounds(0xf000_0000, 2 ** 32)]
    const many = Array.from({ length: 1000 }, (_, i) => bounds(i * 0x40_0000, i * 0x40_0000 + 0x20_0000))
    for (const ranges of [[], few, many]) {
      const matches = shardMatcher({ field: 'uid', ranges, text: '' })
      for (let value = 0; value < 300; value++) {
        const hash = fnv1a64(String(value))
        expect(matches(String(value))).to.equal(ranges.some(({ start, end }) => !isLess(hash, start) && isLess(hash, end)))
      }
    }
  })

  it('compare the high halves first', () => {
    expect([isLess(number(1, 9), number(2, 0)), isLess(number(2, 0), number(1, 9)), isLess(number(1, 1), number(1, 1))]).to.deep.equal([
      true,
      false,
      false,
    ])
  })
})
