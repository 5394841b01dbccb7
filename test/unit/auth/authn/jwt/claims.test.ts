import { expect } from 'chai'
import { secondsOf } from '../../../../../src/auth/authn/jwt/claims.ts'

describe('secondsOf', () => {
  for (const [text, seconds] of [
    ['1700000000', 1_700_000_000],
    ['1700000000.9', 1_700_000_000],
    ['1.7e9', 1_700_000_000],
    ['"1700000000"', 1_700_000_000],
    ['-1', -1],
    ['9.2e18', 9.2e18],
  ] as const)
    it(`parses ${text}`, () => expect(secondsOf(JSON.parse(text))).to.equal(seconds))

  for (const text of [
    'null',
    'true',
    '{}',
    '[1]',
    '""',
    '"Infinity"',
    '"-Infinity"',
    '"NaN"',
    '"0x7fffffff"',
    '"1_0"',
    '" 1"',
    '"1e999"',
    '1e999',
    '-1e999',
    '9223372036854775808',
  ])
    it(`rejects ${text}`, () => expect(() => secondsOf(JSON.parse(text))).to.throw(Error))
})
