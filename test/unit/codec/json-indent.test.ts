import { expect } from 'chai'
import { indentJson } from '../../../src/codec/json-indent.ts'

const cases = [
  '{}',
  '[]',
  '{"a":1}',
  '{"a":{},"b":[],"c":[1,{"d":"x"}]}',
  '{"s":"a\\"b{,:[]}\\\\"}',
  '{"10":1,"9":2}\n',
  '[[[]],{"a":[[1,2],[3]]}]',
]

describe('indented JSON', () => {
  for (const text of cases)
    it(`changes only the white space of ${JSON.stringify(text)}`, () => {
      const newline = text.endsWith('\n') ? '\n' : ''
      const expected = text.includes('"10"') ? '{\n  "10": 1,\n  "9": 2\n}' : JSON.stringify(JSON.parse(text), null, 2)
      expect(indentJson(Buffer.from(text)).toString()).to.equal(expected + newline)
    })
})
