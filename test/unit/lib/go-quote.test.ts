import { expect } from 'chai'
import { quote, timeQuote } from '../../../src/lib/go-quote.ts'

describe('lib/go-quote', () => {
  it('quotes like strconv.Quote', () => {
    expect(quote('a\u0085é漢🙂\u{f0000}"\\\n\u0001\u007f\u00a0')).to.equal('"a\\u0085é漢🙂\\U000f0000\\"\\\\\\n\\x01\\x7f\\u00a0"')
  })

  it('quotes lone surrogates as U+FFFD, as decoders read them', () => expect(quote('a\ud800b')).to.equal('"a\ufffdb"'))

  it('quotes undecodable bytes as their digits', () =>
    expect(quote('a\udc80\ufffd\udcff\udc7f🙂\n')).to.equal('"a\\x80\ufffd\\xff\ufffd🙂\\n"'))

  it('quotes a long text as its parts', () => {
    for (const [unit, quoted] of [
      ['\u0001', '\\x01'],
      ['a"', 'a\\"'],
      ['🙂', '🙂'],
      ['\u{e0001}', '\\U000e0001'],
    ] as const) {
      const text = `a${unit.repeat(30_000)}`
      for (let again = 0; again < 2; again++) expect(quote(text) === `"a${quoted.repeat(30_000)}"`).to.equal(true)
    }
  })

  it('quotes like package time', () => expect(timeQuote('a"\\é\u0001')).to.equal('"a\\"\\\\\\xc3\\xa9\\x01"'))
})
