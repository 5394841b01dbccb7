import { expect } from 'chai'
import { parseMilliseconds } from '../../../src/lib/duration.ts'

describe('parseMilliseconds', () => {
  const good: [string, number][] = [
    ['0', 0],
    ['5s', 5000],
    ['1m0s', 60_000],
    ['1h2m3.5s', 3_723_500],
    ['300ms', 300],
    ['.5s', 500],
    ['1.s', 1000],
    ['-1s', -1000],
    ['+2s', 2000],
    ['1500us', 1.5],
    ['1500µs', 1.5],
  ]
  for (const [text, ms] of good) it(`reads ${text}`, () => expect(parseMilliseconds(text)).to.equal(ms))

  const bad: [string, string][] = [
    ['', 'time: invalid duration ""'],
    ['abc', 'time: invalid duration "abc"'],
    ['10', 'time: missing unit in duration "10"'],
    ['3x', 'time: unknown unit "x" in duration "3x"'],
    ['1h10', 'time: missing unit in duration "1h10"'],
    ['s', 'time: invalid duration "s"'],
  ]
  for (const [text, message] of bad) it(`refuses ${JSON.stringify(text)}`, () => expect(() => parseMilliseconds(text)).to.throw(message))

  it('refuses a text of more than 256 characters', () => {
    expect(parseMilliseconds('1h'.repeat(128))).to.equal(128 * 3_600_000)
    expect(() => parseMilliseconds(`${'1h'.repeat(128)}1`)).to.throw('time: invalid duration "1h')
  })
})
