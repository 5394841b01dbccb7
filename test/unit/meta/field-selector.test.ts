import { expect } from 'chai'
import { FieldMatcher, parseFieldSelector } from '../../../src/meta/field-selector.ts'

/** Prints requirements as a selector, with special characters escaped. */
const print = (terms: ReturnType<typeof parseFieldSelector>): string =>
  terms.map(({ field, op, value }) => `${field}${op}${value.replace(/[\\,=]/g, char => `\\${char}`)}`).join(',')

describe('field selectors', () => {
  const good: Record<string, string> = {
    '': '',
    'metadata.name=a': 'metadata.name=a',
    'a==b': 'a=b',
    'b=1,a!=2': 'a!=2,b=1',
    ',a=b,': 'a=b',
    'a=': 'a=',
    'a=x\\,y\\=z\\\\': 'a=x\\,y\\=z\\\\',
    '=': '',
  }
  for (const [text, printed] of Object.entries(good))
    it(JSON.stringify(text), () => expect(print(parseFieldSelector(text))).to.equal(printed))

  const bad: Record<string, string> = {
    'a,b=c': "invalid selector: 'a,b=c'; can't understand 'a'",
    'a=b=c': 'invalid field selector: unescaped character in value: 61',
    'a=\\x': 'invalid field selector: invalid escape sequence: \\x',
    'a=\\': 'invalid field selector: invalid escape sequence: \\',
  }
  for (const [text, message] of Object.entries(bad))
    it(`rejects ${JSON.stringify(text)}`, () => expect(() => parseFieldSelector(text)).to.throw(message))

  const matches = (text: string, of: (field: string) => string): boolean => new FieldMatcher(parseFieldSelector(text)).matches(of)

  const name = (field: string): string => (field === 'metadata.name' ? 'a' : '')
  const rows: [text: string, matches: boolean][] = [
    ['metadata.name=a,x=', true],
    ['metadata.name!=a', false],
    ['metadata.name!=b,metadata.name!=c', true],
    ['metadata.name=a,metadata.name!=a', false],
    ['metadata.name=a,metadata.name=a', true],
    ['metadata.name=a,metadata.name=b', false],
    ['x!=', false],
  ]
  for (const [text, wanted] of rows)
    it(`${text} ${wanted ? 'matches' : 'does not match'}`, () => expect(matches(text, name)).to.equal(wanted))

  it('return the only value that a field may have', () => {
    expect(new FieldMatcher(parseFieldSelector('metadata.name=a,b!=c')).required('metadata.name')).to.equal('a')
    expect(new FieldMatcher(parseFieldSelector('b!=c')).required('b')).to.equal(undefined)
  })

  it('read each field once, however many requirements there are', () => {
    const text = Array.from({ length: 5000 }, (_, i) => `metadata.name!=n${i}`).join(',')
    const matcher = new FieldMatcher(parseFieldSelector(text))
    let looks = 0
    expect(matcher.matches(() => `x${looks++}`)).to.equal(true)
    expect(looks).to.equal(1)
  })
})
