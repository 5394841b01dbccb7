import { expect } from 'chai'
import type { Json } from '../../../src/api/meta/object.ts'
import { keyElement, printElement, valueElement } from '../../../src/apply/path-element.ts'

describe('path elements of values that are not scalars', () => {
  const table: [value: Json, printed: string, stored: string][] = [
    ['a<', '"a<"', '"a\\u003c"'],
    [null, 'null', 'null'],
    [{ b: ['x', { c: 1 }], a: true }, 'a=trueb=["x",c=1]', '{"a":true,"b":["x",{"c":1}]}'],
    [['x', {}], '["x",]', '["x",{}]'],
    [{ n: 9223372036854775807n }, 'n=9223372036854775807', '{"n":9223372036854775807}'],
  ]
  for (const [value, printed, stored] of table)
    it(`are encoded as upstream encodes them: ${stored}`, () => {
      expect(keyElement([['k', value]])).to.equal(`k:{"k":${stored}}`)
      expect(valueElement(value)).to.equal(`v:${stored}`)
      if (!stored.includes('9223372036854775807')) expect(printElement(keyElement([['k', value]]))).to.equal(`[k=${printed}]`)
    })
})
