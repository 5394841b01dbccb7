import { expect } from 'chai'
import { unifiedDiff } from '../../../../src/schema/go/go-json-diff.ts'

const lines = (text: string): string[] => [...text].map(char => `${char}\n`)
const diff = (a: readonly string[], b: readonly string[]): string[] => (unifiedDiff(a, b) ?? 'none').split('\n').slice(0, -1)

/** Expected diffs are those of Python's difflib.unified_diff, whose algorithm go-difflib ports. */
describe('unifiedDiff', () => {
  it('shows hunks with three lines of context', () => {
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

  it('shows context at the end of the text', () =>
    expect(diff(lines('sssssssssx'), lines('sssssssssy'))).to.deep.equal(['@@ -7,4 +7,4 @@', ' s', ' s', ' s', '-x', '+y']))

  it('shows all lines of a text compared with an empty one', () => expect(diff([], lines('q'))).to.deep.equal(['@@ -0,0 +1 @@', '+q']))

  it('is empty for equal texts', () => expect(unifiedDiff(lines('ab'), lines('ab'))).to.equal(''))

  it('begins no match with frequent lines of a long text', () => {
    const a = [...Array.from({ length: 150 }, () => 'null\n'), ...Array.from({ length: 60 }, (_, i) => `k${i}\n`)]
    const b = [...a]
    b[5] = 'new\n'
    b[180] = 'newer\n'
    expect(diff(a, b)).to.deep.equal(
      '@@ -3,7 +3,7 @@| null| null| null|-null|+new| null| null| null|@@ -178,7 +178,7 @@| k27| k28| k29|-k30|+newer| k31| k32| k33'.split(
        '|',
      ),
    )
  })

  it('gives up above the limit on comparisons', () => {
    const a = Array.from({ length: 60_000 }, (_, i) => `${i % 120}\n`)
    expect(unifiedDiff(a, a.toReversed())).to.equal(undefined)
  })
})
