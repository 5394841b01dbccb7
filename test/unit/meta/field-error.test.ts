import { expect } from 'chai'
import { quote } from '../../../src/lib/go-quote.ts'

describe('meta/field-error', () => {
  const quoted: readonly (readonly [text: string, printed: string])[] = [
    ['plain', '"plain"'],
    ['"\\', '"\\"\\\\"'],
    ['a\nb\tc\u0001', '"a\\nb\\tc\\x01"'],
    ['größe, 日本, 🙂', '"größe, 日本, 🙂"'],
    ['a\u200bb', '"a\\u200bb"'],
    ['a\u00a0b\u00ad', '"a\\u00a0b\\u00ad"'],
    ['\u{e0001}', '"\\U000e0001"'],
  ]
  for (const [text, printed] of quoted) it(`quotes ${printed} as Go does`, () => expect(quote(text)).to.equal(printed))
})
