import { expect } from 'chai'
import { sortFew } from '../../../src/lib/sort-few.ts'

const byFirst = (a: string, b: string): number => a.charCodeAt(0) - b.charCodeAt(0)

const cases: [what: string, items: string[]][] = [
  ['nothing', []],
  ['one', ['a']],
  ['sorted items', ['a1', 'b1', 'c1']],
  ['reversed items', ['c1', 'b1', 'a1']],
  ['equal ones, which keep their order', ['b1', 'a1', 'b2', 'a2', 'b3']],
  ['the largest number of few items', Array.from({ length: 16 }, (_, i) => `${'cab'[i % 3]}${i}`)],
  ['more than few', Array.from({ length: 50 }, (_, i) => `${'cab'[i % 3]}${i}`)],
]

describe('sortFew', () => {
  for (const [what, items] of cases)
    it(`sorts ${what}`, () => {
      const list = [...items]
      expect(sortFew(list, byFirst)).to.equal(list)
      expect(list).to.deep.equal([...items].sort(byFirst))
    })
})
