import { expect } from 'chai'
import { unifiedDiff } from '../../../../src/schema/go/unified-diff.ts'
import { timeBound } from '../../../support/time-bounds.ts'

const lines = (text: string): string[] => [...text].map(char => `${char}\n`)
const diff = (a: readonly string[], b: readonly string[]): string[] => (unifiedDiff(a, b) ?? 'none').split('\n').slice(0, -1)

/** Beside the answers of Python's difflib.unified_diff, whose algorithm go-difflib has. */
describe('unifiedDiff', () => {
  it('shows three lines around what differs, in hunks', () => {
    expect(diff(lines('abcdefghijkl'), lines('abCdefghijxk'))).to.deep.equal([
      '@@ -1,6 +1,6 @@',
      ' a',
      ' b',
      '-c',
      '+C',
      ' d',
      ' e',
      ' f',
      '@@ -8,5 +8,5 @@',
      ' h',
      ' i',
      ' j',
      '+x',
      ' k',
      '-l',
    ])
  })

  it('shows the end of what is the same', () =>
    expect(diff(lines('sssssssssx'), lines('sssssssssy'))).to.deep.equal(['@@ -7,4 +7,4 @@', ' s', ' s', ' s', '-x', '+y']))

  it('shows lines of nothing', () => expect(diff([], lines('q'))).to.deep.equal(['@@ -0,0 +1 @@', '+q']))

  it('is empty where nothing differs', () => expect(unifiedDiff(lines('ab'), lines('ab'))).to.equal(''))

  it('begins no match with frequent lines of a long text', () => {
    const a = [...Array.from({ length: 150 }, () => 'null\n'), ...Array.from({ length: 60 }, (_, i) => `k${i}\n`)]
    const b = [...a]
    b[5] = 'new\n'
    b[180] = 'newer\n'
    expect(diff(a, b)).to.deep.equal(
      '@@ -3,7 +3,7 @@| null| null| null|-null|+new| null| null| null|@@ -178,7 +178,7 @@| k27| k28| k29|-k30|+newer| k31| k32| k33'.split('|'),
    )
  })

  it('gives up where lines are compared too often', () => {
    const a = Array.from({ length: 60_000 }, (_, i) => `${i % 120}\n`)
    const start = process.cpuUsage()
    expect(unifiedDiff(a, a.toReversed())).to.equal(undefined)
    const { user, system } = process.cpuUsage(start)
    expect((user + system) / 1000).to.be.lessThan(timeBound(1000))
  })
})
