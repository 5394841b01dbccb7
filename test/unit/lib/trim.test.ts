import { expect } from 'chai'
import { trimBoth, trimEndOf } from '../../../src/lib/trim.ts'

describe('trim', () => {
  const table: [text: string, end: string, both: string][] = [
    ['', '', ''],
    ['/', '', ''],
    ['///', '', ''],
    ['a', 'a', 'a'],
    ['a/', 'a', 'a'],
    ['//a//', '//a', 'a'],
    ['/a//b', '/a//b', 'a//b'],
  ]
  for (const [text, end, both] of table) {
    it(`removes slashes at the end of ${JSON.stringify(text)}`, () => expect(trimEndOf(text, '/')).to.equal(end))
    it(`removes slashes at both ends of ${JSON.stringify(text)}`, () => expect(trimBoth(text, '/')).to.equal(both))
  }
})
