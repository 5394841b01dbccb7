import { expect } from 'chai'
import type { JsonSchemaProps } from '../../../../src/api/apiextensions/json-schema-props.ts'
import type { Json } from '../../../../src/api/meta/object.ts'
import { fieldErrorText } from '../../../../src/meta/field-error.ts'
import { fieldPath } from '../../../../src/meta/field-path.ts'
import { setWholeFloat } from '../../../../src/meta/whole-floats.ts'
import { listErrors, listErrorsInSteps } from '../../../../src/schema/json-schema/list-invariants.ts'
import { countedSteps } from '../../../support/counted-steps.ts'

const set: JsonSchemaProps = { type: 'array', 'x-kubernetes-list-type': 'set', items: {} }
const map = (...keys: string[]): JsonSchemaProps => ({
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': keys,
  items: { type: 'object', properties: { inner: set } },
})

describe('listErrors', () => {
  const COUNT = 20_000
  const names = Array.from({ length: COUNT }, (_, i) => `n${i}`)
  const wide: Record<string, [value: Json, schema: JsonSchemaProps]> = {
    'a set': [names, { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' }],
    'a list by key': [
      names.map(name => ({ name })),
      { type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] },
    ],
    'a map': [Object.fromEntries(names.map(name => [name, {}])), { type: 'object', additionalProperties: { type: 'object' } }],
  }
  for (const [what, [value, schema]] of Object.entries(wide))
    it(`are found in steps: ${what}`, () => {
      const { result, yields } = countedSteps(listErrorsInSteps(value, schema, fieldPath('l')))
      expect(result).to.deep.equal([])
      expect(yields).to.be.at.least(Math.floor(COUNT / 512))
    })

  const cases: [string, JsonSchemaProps, Json, string[]][] = [
    ['a set without repetition', set, ['a', 'b', 1], []],
    ['a set', set, ['a', 'b', 'a', 'a', 'b'], ['l[2]: Duplicate value: "a"', 'l[4]: Duplicate value: "b"']],
    [
      'a set of objects, whatever the order of their members',
      set,
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      ['l[1]: Duplicate value: map[string]interface {}{"a":1, "b":2}'],
    ],
    ['a map', map('k'), [{ k: 'a' }, { k: 'b' }, { k: 'a', v: 1 }], ['l[2]: Duplicate value: map[string]interface {}{"k":"a"}']],
    [
      'a map by two keys',
      map('k', 'm'),
      [
        { k: 1, m: 1 },
        { k: 1, m: 2 },
        { k: 1, m: 1 },
      ],
      ['l[2]: Duplicate value: map[string]interface {}{"k":1, "m":1}'],
    ],
    ['keys that are absent', map('k'), [{}, { v: 1 }], ['l[1]: Duplicate value: map[string]interface {}{}']],
    [
      'an item of a map that is not an object',
      map('k'),
      [{ k: 1 }, 'x'],
      ['l[1]: Invalid value: "x": must be an object for an array of list-type map'],
    ],
    ['a set within', map('k'), [{ k: 1, inner: [1, 1] }], ['l[0].inner[1]: Duplicate value: 1']],
  ]
  it('formats whole floats like Go', () => {
    const list = [2147483648, 2147483648, -0, -0]
    for (const i of list.keys()) setWholeFloat(list, i, '1.0')
    expect(listErrors(list, set, fieldPath('l')).map(fieldErrorText)).to.deep.equal([
      'l[1]: Duplicate value: 2.147483648e+09',
      'l[3]: Duplicate value: -0',
    ])
  })

  for (const [what, schema, value, texts] of cases) {
    it(`reports ${texts.length === 0 ? 'nothing' : texts.length} for ${what}`, () =>
      expect(listErrors(value, schema, fieldPath('l')).map(fieldErrorText)).to.deep.equal(texts))
  }
})
