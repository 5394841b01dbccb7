import { expect } from 'chai'
import { parseInt64, parseInteger } from '../../../src/lib/integer.ts'

describe('integerOf', () => {
  const cases: [text: string, value: bigint][] = [
    ['0', 0n],
    ['-7', -7n],
    ['9223372036854775808', 9223372036854775808n],
    [`${'0'.repeat(100)}12`, 12n],
    [`-${'0'.repeat(100)}12`, -12n],
    ['0'.repeat(100), 0n],
    ['9'.repeat(64), 10n ** 64n - 1n],
    ['9'.repeat(65), 10n ** 64n],
    [`-${'9'.repeat(1000)}`, -(10n ** 64n)],
  ]
  for (const [text, value] of cases) it(`${text.slice(0, 20)} of ${text.length}`, () => expect(parseInteger(text)).to.equal(value))

  it('reads millions of digits', () => expect(parseInteger('9'.repeat(3_000_000))).to.equal(10n ** 64n))
})

describe('parseInt64', () => {
  const cases: [text: string, value: bigint | undefined][] = [
    ['0', 0n],
    ['-0', 0n],
    ['+7', 7n],
    ['007', 7n],
    ['9223372036854775807', 9223372036854775807n],
    ['9223372036854775808', undefined],
    ['-9223372036854775808', -9223372036854775808n],
    [`${'0'.repeat(100)}12`, 12n],
    ['', undefined],
    ['+', undefined],
    ['1_000', undefined],
    ['0x10', undefined],
    [' 1', undefined],
  ]
  for (const [text, value] of cases) it(JSON.stringify(text.slice(0, 20)), () => expect(parseInt64(text)).to.equal(value))
})
