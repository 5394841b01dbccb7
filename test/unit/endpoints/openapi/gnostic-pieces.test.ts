import { expect } from 'chai'
import protobuf from 'protobufjs'
import type { JsonObject } from '../../../../src/api/meta/object.ts'
import { encodeSwagger } from '../../../../src/endpoints/openapi/gnostic.ts'
import { encodeOpenApi } from '../../../../src/endpoints/openapi/gnostic-v3.ts'
import { runAtOnce } from '../../../../src/lib/steps.ts'
import { countedSteps } from '../../../support/counted-steps.ts'

const names = (count: number): string[] => Array.from({ length: count }, (_, i) => `n${i}`)
const byName = (count: number, value: (i: number) => JsonObject): JsonObject =>
  Object.fromEntries(names(count).map((name, i) => [name, value(i)]))

/** Schemas with more values than are written in one call, at every place that may have many. */
const LARGE: JsonObject = {
  wide: { type: 'object', properties: byName(1000, i => ({ type: 'string', description: `d${i}` })) },
  nested: {
    type: 'object',
    properties: { a: { type: 'object', properties: byName(200, () => ({ type: 'string' })) }, b: { type: 'string' } },
  },
  lists: { required: names(700), enum: names(600), type: 'string' },
  held: {
    items: { type: 'object', properties: byName(100, () => ({ type: 'string' })) },
    additionalProperties: { type: 'object', properties: byName(150, () => ({ type: 'string' })) },
    allOf: [{ type: 'string' }, { type: 'object', properties: byName(130, () => ({ type: 'string' })) }],
  },
  listed: {
    allOf: [
      ...names(70).map(name => ({ type: 'string', description: name })),
      { type: 'object', properties: byName(130, () => ({ type: 'string' })) },
      { type: 'boolean' },
    ],
  },
  free: { 'x-rules': names(300), type: 'string' },
  small: { type: 'string' },
}

/** The schema as the tests' messages show it. */
type Shown = (schema: JsonObject) => JsonObject

function shownBy(
  nested: (schema: JsonObject) => JsonObject,
  type: (text: string) => unknown,
  items: (schema: JsonObject) => JsonObject,
): Shown {
  return schema => {
    const out: Record<string, unknown> = {}
    for (const [name, value] of Object.entries(schema)) {
      const object = value as JsonObject
      if (name === 'type') out.type = type(String(value))
      else if (name === 'properties')
        out.properties = {
          additionalProperties: Object.entries(object).map(([name, each]) => ({ name, value: nested(each as JsonObject) })),
        }
      else if (name === 'enum') out.enum = (value as string[]).map(text => ({ yaml: `${text}\n` }))
      else if (name === 'items') out.items = items(object)
      else if (name === 'additionalProperties') out.additionalProperties = { schema: nested(object) }
      else if (name === 'allOf') out.allOf = (value as JsonObject[]).map(nested)
      else if (name === 'x-rules') out.extension = [{ name, value: { yaml: (value as string[]).map(text => `- ${text}\n`).join('') } }]
      else out[name] = value
    }
    return out as JsonObject
  }
}

/** Messages with the field numbers of one form. */
const messages = (fields: string, value: string): protobuf.Root =>
  protobuf.parse(`syntax = "proto3";
    message Any { string yaml = 2; }
    message NamedAny { string name = 1; Any value = 2; }
    message TypeItem { repeated string value = 1; }
    message ItemsItem { repeated ${value} schema = 1; }
    message AdditionalPropertiesItem { ${value} schema = 1; }
    message Named { string name = 1; ${value} value = 2; }
    message Properties { repeated Named additional_properties = 1; }
    message Choice { oneof oneof { Schema schema = 1; Ref reference = 2; } }
    message Ref { string ref = 1; }
    message Schema { ${fields} }
    message Components { Properties schemas = 1; }
    message DocumentV2 { Properties definitions = 9; }
    message DocumentV3 { Components components = 5; }`).root

const decoded = (type: protobuf.Type, pieces: readonly Buffer[]): unknown => type.toObject(type.decode(Buffer.concat(pieces)))

describe('schemas with many values', () => {
  it('are encoded whole in pieces of Swagger 2.0', () => {
    const root = messages(
      `string description = 4; repeated string required = 19; repeated Any enum = 20; AdditionalPropertiesItem additional_properties = 21; TypeItem type = 22;
       ItemsItem items = 23; repeated Schema all_of = 24; Properties properties = 25; repeated NamedAny extension = 31;`,
      'Schema',
    )
    const shown: Shown = shownBy(
      schema => shown(schema),
      text => ({ value: [text] }),
      schema => ({ schema: [shown(schema)] }),
    )
    const members = Object.entries(LARGE).map(([name, value]) => ({ part: 'definitions' as const, name, value: value as JsonObject }))
    const pieces = [...encodeSwagger({}, members, {})].filter(piece => piece !== undefined)
    expect(decoded(root.lookupType('DocumentV2'), pieces)).to.deep.equal({
      definitions: { additionalProperties: Object.entries(LARGE).map(([name, schema]) => ({ name, value: shown(schema as JsonObject) })) },
    })
  })

  it('are encoded whole in pieces of OpenAPI 3.0', () => {
    const root = messages(
      `repeated string required = 23; repeated Any enum = 24; string type = 25; repeated Choice all_of = 26; ItemsItem items = 30; Properties properties = 31;
       AdditionalPropertiesItem additional_properties = 32; string description = 34; repeated NamedAny extension = 36;`,
      'Choice',
    )
    const nested: Shown = schema => ({ schema: shown(schema) })
    const shown: Shown = shownBy(
      nested,
      text => text,
      schema => ({ schema: [nested(schema)] }),
    )
    expect(decoded(root.lookupType('DocumentV3'), runAtOnce(encodeOpenApi({ components: { schemas: LARGE } })))).to.deep.equal({
      components: {
        schemas: { additionalProperties: Object.entries(LARGE).map(([name, schema]) => ({ name, value: nested(schema as JsonObject) })) },
      },
    })
  })

  it('are encoded in many steps', () => {
    const steps = encodeOpenApi({ components: { schemas: LARGE } })
    let count = 0
    while (!steps.next().done) count++
    expect(count).to.be.at.least(50)
  })

  it('joins small schemas of a list, and yields between them', () => {
    const schemas = { A: { anyOf: Array.from({ length: 6400 }, (_, i) => ({ minLength: i })) } }
    const { result, yields } = countedSteps(encodeOpenApi({ components: { schemas } }))
    expect(yields).to.be.at.least(200)
    expect(result.length).to.be.below(300)
  })
})
