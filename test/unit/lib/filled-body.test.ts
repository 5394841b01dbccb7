import { expect } from 'chai'
import { filledWith, wholeOf } from '../../../src/lib/filled-body.ts'

describe('a filled body', () => {
  const sizes: [string, number[]][] = [
    ['nothing', []],
    ['empty segments', [0, 0]],
    ['small ones', [1, 2, 3]],
    ['one that fills a part', [128 * 1024]],
    ['one larger than a part', [1, 300 * 1024, 1]],
    ['many', Array.from({ length: 500 }, (_, i) => i * 7)],
  ]
  for (const [what, lengths] of sizes)
    it(`with ${what} consists of its segments`, () => {
      const segments = lengths.map((length, i) => Buffer.alloc(length, 97 + (i % 26)))
      const wanted = Buffer.concat(segments)
      expect(wholeOf(filledWith(segments, wanted.length)).equals(wanted)).to.equal(true)
    })
})
