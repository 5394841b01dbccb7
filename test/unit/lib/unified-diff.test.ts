import { expect } from 'chai'
import { textDiff } from '../../../src/lib/unified-diff.ts'

/** Expected hunks are those of `diff -u`. */
describe('textDiff', () => {
  const rows: readonly (readonly [before: string, after: string, diff: string, firstLine?: number])[] = [
    ['a\nb\n', 'a\nb\n', ''],
    ['', '', ''],
    ['a\n', 'b\n', '@@ -1 +1 @@\n-a\n+b\n'],
    ['a', 'a\n', ''],
    ['', 'a\nb\n', '@@ -0,0 +1,2 @@\n+a\n+b\n'],
    ['a\nb\n', '', '@@ -1,2 +0,0 @@\n-a\n-b\n'],
    ['a\nb\n', 'a\nc\n', '@@ -4,2 +4,2 @@\n a\n-b\n+c\n', 4],
    [
      '1\n2\n3\n4\n5\n6\n7\n8\n9\n0\n',
      '1\nx\n3\n4\n5\n6\n7\n8\n9\n',
      '@@ -1,5 +1,5 @@\n 1\n-2\n+x\n 3\n 4\n 5\n@@ -7,4 +7,3 @@\n 7\n 8\n 9\n-0\n',
    ],
    ['a\n1\n2\n3\n4\n5\n6\nb\n', 'A\n1\n2\n3\n4\n5\n6\nB\n', '@@ -1,8 +1,8 @@\n-a\n+A\n 1\n 2\n 3\n 4\n 5\n 6\n-b\n+B\n'],
  ]
  for (const [before, after, diff, firstLine] of rows)
    it(JSON.stringify([before, after]), () => expect(textDiff(before, after, firstLine)).to.equal(diff))
})
