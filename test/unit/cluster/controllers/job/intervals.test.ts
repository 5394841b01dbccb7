import { expect } from 'chai'
import {
  countIndexes,
  formatIndexes,
  hasIndex,
  indexesOf,
  mergeIndexes,
  missingIndexes,
  parseIndexes,
} from '../../../../../src/cluster/controllers/job/intervals.ts'

describe('sets of completion indexes', () => {
  const texts: [string, number, string][] = [
    ['', 5, ''],
    ['4', 5, '4'],
    ['0,1', 5, '0,1'],
    ['0-1,2', 5, '0-2'],
    ['1-9', 4, '1-3'],
    ['0,7', 7, '0'],
    ['a,2,3-b,4', 9, '2,4'],
  ]
  for (const [text, completions, normal] of texts)
    it(`reads ${JSON.stringify(text)} of ${completions} completions as ${JSON.stringify(normal)}`, () =>
      expect(formatIndexes(parseIndexes(text, completions))).to.equal(normal))

  it('merges sets that overlap, touch or are apart', () => {
    const merged = mergeIndexes(parseIndexes('0-2,8', 20), parseIndexes('2-4,5,11', 20))
    expect([formatIndexes(merged), countIndexes(merged)]).to.deep.equal(['0-5,8,11', 8])
  })

  it('orders single indexes and drops repeated ones', () => {
    expect(formatIndexes(mergeIndexes([], indexesOf([7, 1, 7, 2, 3])))).to.equal('1-3,7')
  })

  it('finds an index in any interval', () => {
    const set = parseIndexes('1-3,6,9-10', 20)
    expect(Array.from({ length: 12 }, (_, i) => i).filter(index => hasIndex(set, index))).to.deep.equal([1, 2, 3, 6, 9, 10])
  })

  it('returns the smallest missing indexes below the number of completions', () => {
    const set = parseIndexes('0,3-4', 20)
    expect(missingIndexes(set, 3, 20)).to.deep.equal([1, 2, 5])
    expect(missingIndexes(set, 9, 6)).to.deep.equal([1, 2, 5])
    expect(missingIndexes(set, 0, 6)).to.deep.equal([])
  })
})
