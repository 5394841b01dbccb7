import { expect } from 'chai'
import { matchesFields, parseFieldSelector, printFieldSelector, requiredFieldValue } from '../../../src/meta/field-selector.ts'

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
  for (const [text, printed] of Object.entries(good)) it(JSON.stringify(text), () => expect(printFieldSelector(parseFieldSelector(text))).to.equal(printed))

  const bad: Record<string, string> = {
    'a,b=c': "invalid selector: 'a,b=c'; can't understand 'a'",
    'a=b=c': 'invalid field selector: unescaped character in value: 61',
    'a=\\x': 'invalid field selector: invalid escape sequence: \\x',
    'a=\\': 'invalid field selector: invalid escape sequence: \\',
  }
  for (const [text, message] of Object.entries(bad)) it(`${JSON.stringify(text)} is refused`, () => expect(() => parseFieldSelector(text)).to.throw(message))

  it('match: a field that is missing is empty', () => {
    const fields = { 'metadata.name': 'a' }
    expect(matchesFields(parseFieldSelector('metadata.name=a,x='), fields)).to.equal(true)
    expect(matchesFields(parseFieldSelector('metadata.name!=a'), fields)).to.equal(false)
    expect(matchesFields(parseFieldSelector('toString='), fields)).to.equal(true)
    expect(matchesFields(parseFieldSelector('a=b'), () => 'b')).to.equal(true)
  })

  it('tell the one value that a field must have', () => {
    expect(requiredFieldValue(parseFieldSelector('metadata.name=a,b!=c'), 'metadata.name')).to.equal('a')
    expect(requiredFieldValue(parseFieldSelector('b!=c'), 'b')).to.equal(undefined)
  })
})
