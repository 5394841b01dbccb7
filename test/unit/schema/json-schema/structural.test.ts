import { expect } from 'chai'
import type { JsonSchemaProps } from '../../../../src/api/apiextensions/json-schema-props.ts'
import { runAtOnce } from '../../../../src/lib/steps.ts'
import { fieldErrorText } from '../../../../src/meta/field-error.ts'
import { fieldPath } from '../../../../src/meta/field-path.ts'
import { validateStructural } from '../../../../src/schema/json-schema/structural.ts'
import { structuralFault } from '../../../../src/schema/json-schema/structural-form.ts'

/** A schema with a field `a` of the given schema. */
const of = (a: JsonSchemaProps): JsonSchemaProps => ({ type: 'object', properties: { a } })
const intOrString = [{ type: 'integer' }, { type: 'string' }]

const table: Record<string, [schema: JsonSchemaProps, errors: string[]]> = {
  'an object': [of({ type: 'string' }), []],
  'no type': [of({ description: 'x' }), ['properties[a].type: Required value: must not be empty for specified object fields']],
  'no type at the root': [{}, ['type: Required value: must not be empty at the root']],
  'no type of items': [
    of({ type: 'array', items: {} }),
    ['properties[a].items.type: Required value: must not be empty for specified array items'],
  ],
  'no items': [of({ type: 'array' }), ['properties[a].items: Required value: must be specified']],
  'unknown members for a type': [of({ 'x-kubernetes-preserve-unknown-fields': true }), []],
  'a number or a text': [of({ 'x-kubernetes-int-or-string': true, anyOf: intOrString }), []],
  'a number or a text, and more': [of({ 'x-kubernetes-int-or-string': true, allOf: [{ anyOf: intOrString }, { maximum: 5 }] }), []],
  'a text or a number': [
    of({ 'x-kubernetes-int-or-string': true, anyOf: intOrString.toReversed() }),
    [
      'properties[a].anyOf[0].type: Forbidden: must be empty to be structural',
      'properties[a].anyOf[1].type: Forbidden: must be empty to be structural',
    ],
  ],
  'types and texts under junctors, in the order of their texts': [
    of({ type: 'string', not: { nullable: true, description: 'x' }, allOf: [{ title: 't', items: { default: 1 } }] }),
    [
      'properties[a].allOf[0].items.default: Forbidden: must be undefined to be structural',
      'properties[a].allOf[0].title: Forbidden: must be empty to be structural',
      'properties[a].not.description: Forbidden: must be empty to be structural',
      'properties[a].not.nullable: Forbidden: must be false to be structural',
    ],
  ],
  'a field that only a junctor of the root names': [
    { type: 'object', anyOf: [{ properties: { b: { minimum: 1 } } }] },
    ['properties[b]: Required value: because it is defined in anyOf[0].properties[b]'],
  ],
  'a field that only a junctor below names': [of({ type: 'object', anyOf: [{ properties: { b: { minimum: 1 } } }] }), []],
  'metadata under a junctor': [
    { type: 'object', properties: { metadata: { type: 'object' } }, anyOf: [{ properties: { metadata: {} } }] },
    ['anyOf[0].properties[metadata]: Forbidden: must not be specified in a nested context'],
  ],
  'names in metadata': [{ type: 'object', properties: { metadata: { type: 'object', properties: { name: { type: 'string' } } } } }, []],
  'labels in metadata': [
    { type: 'object', properties: { metadata: { type: 'object', properties: { labels: { type: 'object' } } } } },
    ['properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified'],
  ],
  'an embedded object': [of({ type: 'object', 'x-kubernetes-embedded-resource': true, properties: { kind: { type: 'string' } } }), []],
  'an embedded object of another type': [
    of({ type: 'string', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true }),
    ['properties[a].type: Invalid value: "string": must be object if x-kubernetes-embedded-resource is true'],
  ],
  'a number for a kind': [
    { type: 'object', properties: { kind: { type: 'integer' } } },
    ['properties[kind].type: Invalid value: "integer": must be string'],
  ],
  'a map at the root': [{ type: 'object', additionalProperties: true }, ['additionalProperties: Forbidden: must not be used at the root']],
  'an invalid pattern': [
    of({ type: 'string', pattern: 'a(' }),
    [
      'properties[a].pattern: Invalid value: "a(": must be a valid regular expression, but isn\'t: error parsing regexp: missing closing ): `a(`',
    ],
  ],
}

describe('structural schemas', () => {
  for (const [name, [schema, errors]] of Object.entries(table)) {
    it(name, () => expect(runAtOnce(validateStructural(schema, fieldPath())).map(fieldErrorText)).to.deep.equal(errors))
  }

  const faults: [JsonSchemaProps, string | undefined][] = [
    [of({ type: 'string' }), undefined],
    [of({ $ref: 'x' }), "OpenAPIV3Schema '$ref' is not supported"],
    [of({ allOf: [{ definitions: { x: {} } }] }), "OpenAPIV3Schema 'definitions' is not supported"],
    [of({ type: 'array', items: [{ type: 'string' }] }), "OpenAPIV3Schema 'items' must be a schema, but is an array"],
    [of({ additionalProperties: { additionalItems: false } }), "OpenAPIV3Schema 'additionalItems' is not supported"],
    [
      of({ 'x-kubernetes-preserve-unknown-fields': false }),
      "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined",
    ],
  ]
  for (const [schema, fault] of faults) it(`form: ${fault ?? 'there is one'}`, () => expect(structuralFault(schema)).to.equal(fault))
})
