import { expect } from 'chai'
import type { JsonObject } from '../../../../src/meta/object.ts'
import { openApiOf } from '../../../../src/schema/json-schema/open-api.ts'
import type { JsonSchemaProps } from '../../../../src/schema/json-schema/props.ts'

const META = { $ref: 'meta' }
const schema: JsonSchemaProps = {
  type: 'object',
  description: 'A thing.',
  properties: {
    spec: {
      type: 'object',
      properties: {
        port: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
        maybe: { type: 'string', nullable: true },
        open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { a: { type: 'string' } } },
        map: { type: 'object', additionalProperties: { type: 'string' } },
      },
    },
  },
}

describe('openApiOf', () => {
  it('is the schema, with what every object has, in OpenAPI 3', () => {
    const { properties, ...rest } = openApiOf(schema, 3, META)
    expect(rest).to.deep.equal({ type: 'object', description: 'A thing.' })
    expect(Object.keys(properties as JsonObject).sort()).to.deep.equal(['apiVersion', 'kind', 'metadata', 'spec'])
    expect((properties as JsonObject).spec).to.deep.equal(schema.properties?.spec)
    expect(((properties as JsonObject).metadata as JsonObject).allOf).to.deep.equal([META])
  })

  it('says what Swagger 2.0 can say', () => {
    const { spec, metadata } = openApiOf(schema, 2, META).properties as JsonObject
    expect((metadata as JsonObject).$ref).to.equal('meta')
    expect(spec).to.deep.equal({
      type: 'object',
      properties: {
        port: { 'x-kubernetes-int-or-string': true, type: 'string', format: 'int-or-string' },
        maybe: {},
        open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        map: { type: 'object', additionalProperties: { type: 'string' } },
      },
    })
  })

  it('says nothing of the members of what may have any', () => {
    expect(openApiOf({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true }, 2, META)).to.deep.equal({
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
    })
  })
})
