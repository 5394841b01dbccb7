import { expect } from 'chai'
import { matchesTrailingStar } from '../../../src/lib/trailing-star.ts'

describe('matchesTrailingStar', () => {
  const cases: [pattern: string, text: string, matches: boolean][] = [
    ['/a', '/a', true],
    ['/a', '/ab', false],
    ['/a*', '/a', true],
    ['/a*', '/ab', true],
    ['/a*', '/b', false],
    ['*', '', true],
    ['a*b', 'axb', false],
    ['a**', 'a*b', true],
  ]
  for (const [pattern, text, matches] of cases)
    it(`${pattern} ${matches ? 'matches' : 'does not match'} ${text}`, () => expect(matchesTrailingStar(pattern, text)).to.equal(matches))
})
