import { expect } from 'chai'
import { Warnings, warningHeaders } from '../../../../src/server/http/warnings.ts'

describe('warningHeaders', () => {
  it('quotes and escapes', () => expect(warningHeaders(['a "b" \\c'])).to.deep.equal(['299 - "a \\"b\\" \\\\c"']))
  it('omits texts that a header cannot carry', () => expect(warningHeaders(['', 'a\nb', 'c'])).to.deep.equal(['299 - "c"']))
  it('encodes UTF-8 as bytes', () => expect(Buffer.from(warningHeaders(['ü'])[0] ?? '', 'latin1').toString()).to.equal('299 - "ü"'))
  it('truncates all texts if they are too long together', () => {
    const headers = warningHeaders(Array.from({ length: 30 }, (_, i) => `${i} `.repeat(200)))
    expect(headers.every(header => header.length === 256 + '299 - ""'.length)).to.equal(true)
    expect(headers.length).to.equal(16)
  })
})

describe('Warnings', () => {
  const headersOf = (texts: readonly string[]): string[] => {
    const warnings = new Warnings()
    for (const text of texts) warnings.add(text)
    return warnings.headers()
  }
  it('keeps each text once, in order', () => expect(headersOf(['b', 'a', 'b'])).to.deep.equal(['299 - "b"', '299 - "a"']))

  const lists: Record<string, string[]> = {
    'short ones that fill the headers exactly': Array.from({ length: 64 }, (_, i) => String(i).padStart(64, 'x')),
    'one more than that': Array.from({ length: 65 }, (_, i) => String(i).padStart(64, 'x')),
    'long ones': Array.from({ length: 100 }, (_, i) => `${i} `.repeat(200)),
    'one long and many short': ['y'.repeat(5000), ...Array.from({ length: 5000 }, (_, i) => String(i))],
    'some that no header can carry': Array.from({ length: 300 }, (_, i) => `${i % 2 === 0 ? '\n' : ''}${i}`.padEnd(90, 'z')),
  }
  for (const [what, texts] of Object.entries(lists))
    it(`keeps as many texts as the headers hold: ${what}`, () => expect(headersOf(texts)).to.deep.equal(warningHeaders(texts)))

  it('bounds the headers of very many texts', () => {
    const texts = Array.from({ length: 200_000 }, (_, i) => `spec.hostAliases[${i}].ip: duplicate ip`)
    expect(headersOf(texts).length).to.be.lessThan(200)
  })
})
