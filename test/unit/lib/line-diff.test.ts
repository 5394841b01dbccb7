import { expect } from 'chai'
import { type DiffLine, lineDiff, nearDifferences } from '../../../src/lib/line-diff.ts'
import { seededRandom } from '../../../src/lib/seeded-random.ts'

const written = (lines: readonly DiffLine[]): string => lines.map(({ sign, text }) => sign + text).join(' ')

/** The length of the longest common subsequence, by the table of all prefixes. */
function common(a: readonly string[], b: readonly string[]): number {
  const table = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0))
  for (let i = 1; i <= a.length; i++)
    for (let j = 1; j <= b.length; j++)
      (table[i] as number[])[j] =
        a[i - 1] === b[j - 1] ? (table[i - 1]?.[j - 1] ?? 0) + 1 : Math.max(table[i - 1]?.[j] ?? 0, table[i]?.[j - 1] ?? 0)
  return table[a.length]?.[b.length] ?? 0
}

describe('a line diff', () => {
  it('contains added and removed lines', () => {
    expect(written(lineDiff(['a', 'b', 'c'], ['a', 'x', 'c', 'd']))).to.equal(' a -b +x  c +d')
    expect(written(lineDiff([], ['a']))).to.equal('+a')
    expect(written(lineDiff(['a'], []))).to.equal('-a')
    expect(written(lineDiff(['a'], ['a']))).to.equal(' a')
  })

  it('reproduces both texts, with the fewest changes', () => {
    const random = seededRandom(11)
    const draw = (): string[] => Array.from({ length: Math.floor(random() * 14) }, () => 'abcd'[Math.floor(random() * 4)] ?? 'a')
    for (let i = 0; i < 2_000; i++) {
      const [before, after] = [draw(), draw()]
      const lines = lineDiff(before, after)
      expect(lines.filter(({ sign }) => sign !== '+').map(({ text }) => text)).to.deep.equal(before)
      expect(lines.filter(({ sign }) => sign !== '-').map(({ text }) => text)).to.deep.equal(after)
      expect(lines.filter(({ sign }) => sign === ' ').length, `${before} ${after}`).to.equal(common(before, after))
    }
  })

  it('compares long texts that differ in all lines', () => {
    const [before, after] = ['a', 'b'].map(name => Array.from({ length: 20_000 }, (_, i) => name + i)) as [string[], string[]]
    expect(lineDiff(before, after)).to.have.lengthOf(40_000)
  })

  it('omits lines that are far from a change', () => {
    const same = Array.from({ length: 10 }, (_, i) => String(i))
    expect(nearDifferences(lineDiff(same, [...same, 'x']), 1)).to.deep.equal([
      { skipped: 9 },
      { sign: ' ', text: '9' },
      { sign: '+', text: 'x' },
    ])
  })
})
