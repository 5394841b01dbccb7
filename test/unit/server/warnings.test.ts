import { expect } from 'chai'
import { warningHeaders } from '../../../src/server/warnings.ts'

describe('warningHeaders', () => {
  it('quotes and escapes', () => expect(warningHeaders(['a "b" \\c'])).to.deep.equal(['299 - "a \\"b\\" \\\\c"']))
  it('leaves out what no header can carry', () => expect(warningHeaders(['', 'a\nb', 'c'])).to.deep.equal(['299 - "c"']))
  it('spells UTF-8 in bytes', () => expect(Buffer.from(warningHeaders(['ü'])[0] ?? '', 'latin1').toString()).to.equal('299 - "ü"'))
  it('cuts all where together they are too long', () => {
    const headers = warningHeaders(Array.from({ length: 30 }, (_, i) => `${i} `.repeat(200)))
    expect(headers.every(header => header.length === 256 + '299 - ""'.length)).to.equal(true)
    expect(headers.length).to.equal(16)
  })
})
