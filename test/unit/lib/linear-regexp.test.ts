import { expect } from 'chai'
import { linearRegExp } from '../../../src/lib/linear-regexp.ts'

describe('linearRegExp', () => {
  const cases: [string, string, boolean][] = [
    ['^[a-z]+$', 'abc', true],
    ['^[a-z]+$', 'aBc', false],
    ['b', 'abc', true],
    ['^$', '', true],
    ['\\pN', '٣', true],
    ['(?i)ABC', 'xabcx', true],
  ]
  for (const [expression, text, found] of cases) {
    it(`${found ? 'finds' : 'does not find'} ${expression} in ${JSON.stringify(text)}`, () =>
      expect(linearRegExp(expression)?.foundIn(text)).to.equal(found))
  }

  it('is undefined for an invalid expression', () => expect(linearRegExp('a(')).to.equal(undefined))

  it('does not backtrack', () => expect(linearRegExp('^(a+)+$')?.foundIn(`${'a'.repeat(5_000)}b`)).to.equal(false))
})
