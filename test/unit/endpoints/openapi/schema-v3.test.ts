import { expect } from 'chai'
import type { Json } from '../../../../src/api/meta/object.ts'
import { schemaV3 } from '../../../../src/endpoints/openapi/schema-v3.ts'

const v2 = { $ref: '#/definitions/a.B' }
const v3 = { $ref: '#/components/schemas/a.B' }

describe('schemaV3', () => {
  const cases: readonly [string, Json, Json][] = [
    ['a reference', v2, v3],
    ['a reference with others beside it', { ...v2, description: 'd', default: {} }, { description: 'd', default: {}, allOf: [v3] }],
    ['a reference elsewhere', { $ref: '#/other/a' }, { $ref: '#/other/a' }],
    [
      'properties, whatever their names',
      { properties: { $ref: v2, items: { type: 'array', items: v2 } } },
      { properties: { $ref: v3, items: { type: 'array', items: v3 } } },
    ],
    ['lists', { items: [v2, { type: 'string' }], allOf: [v2] }, { items: [v3, { type: 'string' }], allOf: [v3] }],
    ['maps', { type: 'object', additionalProperties: v2 }, { type: 'object', additionalProperties: v3 }],
    ['maps of anything', { additionalProperties: true }, { additionalProperties: true }],
    ['values unchanged', { default: v2, enum: [v2], 'x-more': v2 }, { default: v2, enum: [v2], 'x-more': v2 }],
    ['malformed schemas', 7, 7],
  ]
  for (const [what, from, to] of cases) it(`converts ${what}`, () => expect(schemaV3(from)).to.deep.equal(to))
})
