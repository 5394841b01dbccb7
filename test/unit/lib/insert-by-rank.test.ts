import { expect } from 'chai'
import { insertByRank } from '../../../src/lib/insert-by-rank.ts'

describe('insertByRank', () => {
  const sorted = (...ranks: number[]): string[] => {
    const list: { rank: number; name: string }[] = []
    for (const [i, rank] of ranks.entries()) insertByRank(list, { rank, name: `${rank}${'abcdef'.charAt(i)}` })
    return list.map(({ name }) => name)
  }

  const table: [number[], string[]][] = [
    [[], []],
    [[1], ['1a']],
    [
      [1, 2, 3],
      ['1a', '2b', '3c'],
    ],
    [
      [3, 2, 1],
      ['1c', '2b', '3a'],
    ],
    [
      [2, 1, 2, 1],
      ['1b', '1d', '2a', '2c'],
    ],
  ]
  for (const [ranks, names] of table)
    it(`${ranks.join(' ') || 'nothing'} is sorted, equal ranks in order of insertion`, () => expect(sorted(...ranks)).to.deep.equal(names))
})
