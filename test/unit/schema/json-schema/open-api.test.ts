import { expect } from 'chai'
import type { JsonSchemaProps } from '../../../../src/api/apiextensions/json-schema-props.ts'
import type { JsonObject } from '../../../../src/api/meta/object.ts'
import { runAtOnce } from '../../../../src/lib/steps.ts'
import { openApiOf as openApiInSteps } from '../../../../src/schema/json-schema/open-api.ts'
import { countedSteps } from '../../../support/counted-steps.ts'

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

const openApiOf = (...args: Parameters<typeof openApiInSteps>): JsonObject => runAtOnce(openApiInSteps(...args))

describe('openApiOf', () => {
  it('is the schema with the members of every object in OpenAPI 3', () => {
    const { properties, ...rest } = openApiOf(schema, 3, META)
    expect(rest).to.deep.equal({ type: 'object', description: 'A thing.' })
    expect(Object.keys(properties as JsonObject).sort()).to.deep.equal(['apiVersion', 'kind', 'metadata', 'spec'])
    expect((properties as JsonObject).spec).to.deep.equal(schema.properties?.spec)
    expect(((properties as JsonObject).metadata as JsonObject).allOf).to.deep.equal([META])
  })

  it('names both types of int-or-string in OpenAPI 3, at every depth', () => {
    const intOrString = { 'x-kubernetes-int-or-string': true } as const
    const both = [{ type: 'integer' }, { type: 'string' }]
    const shown = (own: JsonSchemaProps): unknown =>
      (openApiOf({ type: 'object', properties: { own } }, 3, META).properties as JsonObject).own
    expect(shown(intOrString)).to.deep.equal({ ...intOrString, anyOf: both })
    expect(shown({ type: 'array', items: intOrString })).to.deep.equal({ type: 'array', items: { ...intOrString, anyOf: both } })
    expect(shown({ type: 'object', additionalProperties: intOrString })).to.deep.equal({
      type: 'object',
      additionalProperties: { ...intOrString, anyOf: both },
    })
    const other: JsonSchemaProps[] = [{ pattern: 'x' }]
    expect(shown({ ...intOrString, anyOf: other })).to.deep.equal({ ...intOrString, anyOf: other, allOf: [{ anyOf: both }] })
    const begun = { ...intOrString, allOf: [{ anyOf: [...both] }, { pattern: 'x' }] } as JsonSchemaProps
    expect(shown(begun)).to.deep.equal(begun)
  })

  it('omits what Swagger 2.0 cannot express', () => {
    const { spec, metadata } = openApiOf(schema, 2, META).properties as JsonObject
    expect((metadata as JsonObject).$ref).to.equal('meta')
    expect(spec).to.deep.equal({
      type: 'object',
      properties: {
        port: { 'x-kubernetes-int-or-string': true },
        maybe: {},
        open: { 'x-kubernetes-preserve-unknown-fields': true },
        map: { type: 'object', additionalProperties: { type: 'string' } },
      },
    })
  })

  it('lists no members of an object that may have any', () => {
    expect(openApiOf({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true }, 2, META)).to.deep.equal({ type: 'object' })
    expect(openApiOf(undefined, 3, META)).to.deep.equal({ type: 'object' })
  })

  /** Members of a spec, and what kube-apiserver 1.33.4 publishes for each in Swagger 2.0. */
  const documented = { type: 'string', default: 'a', example: 'b', externalDocs: { url: 'http://c' } }
  const any = 'x-kubernetes-preserve-unknown-fields'
  const members: [string, JsonSchemaProps, object][] = [
    ['defaults', documented, { type: 'string' }],
    ['an object that may be null', { type: 'object', nullable: true, properties: { a: { type: 'string' } } }, {}],
    ['any value', { [any]: true }, { [any]: true }],
    ['a list of anything', { type: 'array', [any]: true, items: { type: 'string' } }, { [any]: true }],
    ['items of anything', { type: 'array', items: { type: 'object', [any]: true } }, { type: 'array', items: { [any]: true } }],
    [
      'an object within',
      { type: 'object', 'x-kubernetes-embedded-resource': true, [any]: true },
      { 'x-kubernetes-embedded-resource': true, [any]: true },
    ],
    [
      'a required nullable member',
      { type: 'object', required: ['a'], properties: { a: { type: 'string', nullable: true } } },
      { type: 'object', properties: { a: {} } },
    ],
    [
      'a required member beside it',
      { type: 'object', required: ['b', 'a'], properties: { a: { type: 'string', nullable: true }, b: { type: 'string' } } },
      { type: 'object', required: ['b'], properties: { a: {}, b: { type: 'string' } } },
    ],
    [
      'values that may be null',
      { type: 'object', required: ['a'], additionalProperties: { type: 'string', nullable: true } },
      { type: 'object', additionalProperties: {} },
    ],
  ]
  for (const [what, member, wanted] of members)
    it(`describes ${what} as Swagger 2.0 can`, () => {
      expect((openApiOf({ type: 'object', properties: { member } }, 2, META).properties as JsonObject).member).to.deep.equal(wanted)
    })

  it('adds the members of every object to embedded objects', () => {
    const inner: JsonSchemaProps = {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      required: ['spec', 'kind'],
      properties: { spec: { type: 'object' } },
    }
    for (const version of [2, 3] as const) {
      const { properties, required } = (openApiOf({ type: 'object', properties: { inner } }, version, META).properties as JsonObject)
        .inner as JsonObject
      expect(required).to.deep.equal(['spec', 'kind', 'apiVersion'])
      expect(Object.keys(properties as JsonObject).sort()).to.deep.equal(['apiVersion', 'kind', 'metadata', 'spec'])
    }
  })

  for (const version of [2, 3] as const)
    it(`takes steps for a wide schema, in OpenAPI ${version}`, () => {
      const properties = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`p${i}`, { type: 'string' }]))
      const { result, yields } = countedSteps(
        openApiInSteps({ type: 'object', properties: { spec: { type: 'object', properties } } }, version, META),
      )
      expect((result.properties as JsonObject).spec).to.deep.equal({ type: 'object', properties })
      expect(yields).to.be.at.least(19)
    })
})
