import { expect } from 'chai'
import { goJsonText } from '../../../src/lib/go-json-text.ts'

describe('JSON as Go writes it', () => {
  const TEXTS: [unknown, string][] = [
    [null, 'null'],
    [undefined, 'null'],
    ['a"<b>&\u2028\u2029', String.raw`"a\"\u003cb\u003e\u0026\u2028\u2029"`],
    [{ b: 1, a: undefined, c: ['x'] }, '{"b":1,"c":["x"]}'],
  ]
  for (const [value, text] of TEXTS) it(text, () => expect(goJsonText(value)).to.equal(text))
})
