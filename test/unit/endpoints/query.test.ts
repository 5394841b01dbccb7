import { expect } from 'chai'
import { booleanParameter, integerParameter, stringParameter } from '../../../src/endpoints/query.ts'

const query = (text: string) => new URLSearchParams(text)

describe('query parameters', () => {
  it('are true unless they are false or 0', () => {
    const cases: [string, boolean | undefined][] = [
      ['watch', true],
      ['watch=', true],
      ['watch=no', true],
      ['watch=TRUE', true],
      ['watch=0', false],
      ['watch=False', false],
      ['other=1', undefined],
      ['watch=0&watch=1', false],
    ]
    for (const [text, expected] of cases) expect(booleanParameter(query(text), 'watch'), text).to.equal(expected)
  })

  it('are parsed as integers like in Go', () => {
    expect(integerParameter(query('limit=%2B1'), 'limit')).to.equal(1)
    expect(integerParameter(query('limit=-7'), 'limit')).to.equal(-7)
    expect(integerParameter(query('limit=5&limit=x'), 'limit')).to.equal(5)
    expect(integerParameter(query(''), 'limit')).to.equal(undefined)
    for (const text of ['abc', '1.5', '', ' 1', '0x1'])
      expect(() => integerParameter(query(`limit=${encodeURIComponent(text)}`), 'limit'), text).to.throw(
        `strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`,
      )
    expect(() => integerParameter(query('limit=%00%C2%A0'), 'limit')).to.throw('strconv.ParseInt: parsing "\\x00\\u00a0": invalid syntax')
    expect(() => integerParameter(query('limit=9223372036854775808'), 'limit')).to.throw('value out of range')
  })

  it('are empty if they are absent', () => {
    expect(stringParameter(query('a=1'), 'b')).to.equal('')
  })
})
