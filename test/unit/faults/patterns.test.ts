import { expect } from 'chai'
import { matchesPatterns } from '../../../src/faults/patterns.ts'

describe('matchesPatterns', () => {
  const cases: [patterns: string[] | undefined, text: string, matches: boolean][] = [
    [undefined, 'x', true],
    [[], 'x', true],
    [['x'], 'x', true],
    [['x'], 'xy', false],
    [['x*'], 'xy', true],
    [['*'], '', true],
    [['a', 'b'], 'b', true],
    [['!x'], 'x', false],
    [['!x'], 'y', true],
    [['x*', '!xy*'], 'xyz', false],
    [['x*', '!xy*'], 'xz', true],
    [['x*', '!xy*'], 'z', false],
  ]
  for (const [patterns, text, matches] of cases)
    it(`${JSON.stringify(patterns)} and ${JSON.stringify(text)}: ${matches}`, () =>
      expect(matchesPatterns(patterns, text)).to.equal(matches))
})
