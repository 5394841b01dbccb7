import { expect } from 'chai'
import type { JsonSchemaProps } from '../../../../src/api/apiextensions/json-schema-props.ts'
import { parseJson } from '../../../../src/codec/json.ts'
import { runAtOnce } from '../../../../src/lib/steps.ts'
import { isWholeFloat } from '../../../../src/meta/whole-floats.ts'
import { customStruct } from '../../../../src/schema/json-schema/custom-struct.ts'
import { SchemaPool } from '../../../../src/schema/json-schema/schema-pool.ts'
import { TYPED } from '../../../../src/schema/typed-form.ts'
import { countedSteps } from '../../../support/counted-steps.ts'

const parsed = (text: string): JsonSchemaProps => parseJson(Buffer.from(text)).value as JsonSchemaProps

describe('SchemaPool', () => {
  const pool = new SchemaPool()
  const sharedSchema = (schema: JsonSchemaProps): JsonSchemaProps => runAtOnce(pool.shared(schema))

  const text = { type: 'string', description: 'A text.', title: 'Text' }

  it('removes documentation, but not properties with such names', () => {
    const schema: JsonSchemaProps = {
      ...text,
      type: 'object',
      properties: { description: text, title: { type: 'object', additionalProperties: text } },
    }
    expect(sharedSchema(schema)).to.deep.equal({
      type: 'object',
      properties: { description: { type: 'string' }, title: { type: 'object', additionalProperties: { type: 'string' } } },
    })
    expect(schema.description).to.equal('A text.')
  })

  it('shares equal schemas at every depth and in every position', () => {
    const selector = (description: string): JsonSchemaProps => ({
      type: 'object',
      description,
      properties: {
        list: { type: 'array', items: { ...text, maxLength: 7 } },
        any: { anyOf: [{ minimum: 1 }, { not: { enum: ['a', 1] } }], 'x-kubernetes-int-or-string': true },
        map: { type: 'object', additionalProperties: { type: 'object', properties: { deep: { type: 'boolean', default: false } } } },
      },
      'x-kubernetes-validations': [{ rule: 'size(self.list) > 0' }],
    })
    const one = sharedSchema({ type: 'object', properties: { selector: selector('one') } })
    const other = sharedSchema({ type: 'object', properties: { selector: selector('other'), more: text } })
    expect(one).not.to.equal(other)
    expect(one.properties?.selector).to.equal(other.properties?.selector)
    expect(sharedSchema({ type: 'array', items: { type: 'string', maxLength: 7 } })).to.equal(one.properties?.selector?.properties?.list)
    expect(one.properties?.selector).to.deep.equal(sharedSchema(JSON.parse(JSON.stringify(selector('third')))))
  })

  it('distinguishes schemas that accept different objects', () => {
    const schemas: JsonSchemaProps[] = [
      { type: 'string' },
      { type: 'integer' },
      { type: 'string', nullable: true },
      { type: 'string', default: '1' },
      { type: 'array', items: { type: 'string' } },
      { type: 'array', items: { type: 'integer' } },
      { type: 'object', additionalProperties: true },
      { type: 'object', additionalProperties: { type: 'string' } },
      { type: 'object', properties: {} },
      { type: 'object', properties: { a: { type: 'string' } } },
      { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
      { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } } },
      { type: 'object', properties: { b: { type: 'string' }, a: { type: 'string' } } },
      { allOf: [{ type: 'string' }] },
      { anyOf: [{ type: 'string' }] },
    ]
    expect(new Set(schemas.map(sharedSchema)).size).to.equal(schemas.length)
    for (const schema of schemas) expect(sharedSchema(schema)).to.deep.equal(schema)
  })

  it('preserves whole floats, and integers beyond the range of a double', () => {
    const whole = sharedSchema(
      parsed('{"type":"object","properties":{"a":{"type":"number","default":1.0},"b":{"type":"object","default":{"c":[2.0]}}}}'),
    )
    const plain = sharedSchema(
      parsed('{"type":"object","properties":{"a":{"type":"number","default":1},"b":{"type":"object","default":{"c":[2]}}}}'),
    )
    expect(isWholeFloat(whole.properties?.a as object, 'default')).to.equal(true)
    expect(isWholeFloat(plain.properties?.a as object, 'default')).to.equal(false)
    expect(whole.properties?.b).not.to.equal(plain.properties?.b)
    const large = (digit: number): JsonSchemaProps => sharedSchema(parsed(`{"type":"integer","default":900719925474099${digit}1}`))
    expect([large(1).default, large(2).default]).to.deep.equal([9007199254740991_1n, 9007199254740992_1n])
  })

  it('lets kinds share the struct of a schema', () => {
    const struct = (kind: string, more: object) =>
      customStruct(sharedSchema({ type: 'object', properties: { spec: { type: 'object', properties: { name: text } }, ...more } }), {
        kind,
        definition: kind,
        form: TYPED,
      })
    const [one, other] = [struct('One', {}), struct('Other', { status: { type: 'object' } })]
    expect(one.fields.get('spec')?.schema).to.equal(other.fields.get('spec')?.schema)
    expect([one.name, other.name]).to.deep.equal(['One', 'Other'])
  })

  it('shares a wide schema in steps', () => {
    const properties = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`p${i}`, { type: 'string' }]))
    const { result, yields } = countedSteps(pool.shared({ type: 'object', properties }))
    expect(result).to.deep.equal({ type: 'object', properties })
    // For the schemas, and for their numbers.
    expect(yields).to.be.at.least(39)
  })
})
