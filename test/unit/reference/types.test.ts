import { expect } from 'chai'
import { encodeJson, parseJson } from '../../../src/codec/json.ts'
import { decodeMessage } from '../../../src/codec/protobuf-decode.ts'
import { encodeMessage } from '../../../src/codec/protobuf-encode.ts'
import type { JsonObject } from '../../../src/meta/object.ts'
import { types } from '../../../src/resources/types.ts'
import { decode } from '../../../src/schema/decode.ts'
import type { Field, Schema, StructSchema } from '../../../src/schema/schema.ts'
import { fillStruct } from '../../support/fill-schema.ts'
import { describeReference, referenceJson } from '../../support/reference.ts'

interface FactField {
  readonly name: string
  readonly num: number
  readonly type: string
  readonly label: 'optional' | 'repeated' | 'map'
  readonly inline?: boolean
  readonly required?: boolean
  readonly omitempty?: boolean
  readonly ptr?: boolean
  readonly listType?: string
  readonly listMapKeys?: readonly string[]
  readonly mapType?: string
  readonly structType?: string
  readonly patchStrategy?: string
  readonly patchMergeKey?: string
  readonly default?: unknown
  readonly enum?: readonly string[]
  readonly deprecated?: boolean
}
interface Message {
  readonly openapi?: string
  readonly typeMeta?: boolean
  readonly structType?: string
  readonly jsonForm?: string
  readonly proto?: boolean
  readonly fields: readonly FactField[]
}

/** Messages that are no types of ours: kind and apiVersion stand in the envelope, and a Timestamp in the wire form of times. */
const WIRE_ONLY = new Set([
  'k8s.io.apimachinery.pkg.apis.meta.v1.Timestamp',
  'k8s.io.apimachinery.pkg.apis.meta.v1.TypeMeta',
  'k8s.io.apimachinery.pkg.runtime.TypeMeta',
])

/** How deep a schema, which has schemas in a dozen of its fields, is held to be already: two more are filled. */
const SCHEMA_DEPTH = 4

/** Protobuf's names of Go's types. */
const PROTOBUF_TYPES: Readonly<Record<string, string>> = { 'types.UID': 'string', '[]uint8': 'bytes', float64: 'double', float32: 'float' }

const definitionOf = (message: string): string =>
  message
    .replace(/^k8s\.io\./, 'io.k8s.')
    .replace('apiextensions_apiserver', 'apiextensions-apiserver')
    .replace('kube_aggregator', 'kube-aggregator')

const given = (members: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined && value !== false))

/** The value's type as the reference names it. */
function typeOf(schema: Schema): string {
  switch (schema.type) {
    case 'struct':
      return (schema.base ?? schema).definition ?? schema.name
    case 'union':
      return schema.definition
    case 'list':
      return `list of ${typeOf(schema.items)}`
    case 'map':
      return `map of ${typeOf(schema.values)}`
    default:
      return schema.definition ?? PROTOBUF_TYPES[schema.goType] ?? (schema.type === 'string' ? 'string' : schema.goType)
  }
}

/** What a declared field says, in the reference's words. */
function declared({ name, number, schema, ...field }: Field): Record<string, unknown> {
  const list = schema.type === 'list' ? schema : undefined
  const innermost = schema.type === 'list' ? schema.items : schema.type === 'map' ? schema.values : schema
  return given({
    name,
    num: number,
    type: typeOf(schema),
    required: field.required,
    omitempty: field.omitEmpty,
    ptr: field.pointer || list?.pointerItems,
    listType: list?.listType ?? field.strayListType,
    listMapKeys: list?.listMapKeys,
    mapType: schema.type === 'map' ? schema.mapType : undefined,
    structType: schema.type === 'struct' && schema.base ? schema.structType : undefined,
    patchStrategy: field.patchStrategy,
    patchMergeKey: field.patchMergeKey,
    default: field.default,
    enum: innermost.type === 'string' && innermost.enum ? [...innermost.enum].sort() : undefined,
    deprecated: field.deprecated,
  })
}

describeReference('declared types beside the reference', () => {
  const { messages } = referenceJson('api-facts-1.33.json') as { messages: Readonly<Record<string, Message>> }
  const isType = (name: string, message: Message): boolean => message.jsonForm === undefined && message.proto !== false && !WIRE_ONLY.has(name)
  const schemaOf = (name: string): StructSchema | undefined => types.byDefinition(messages[name]?.openapi ?? definitionOf(name))

  /** The type of a value, which a message of its own wraps where it is a list in a map. */
  function valueType(type: string): string {
    const message = messages[type]
    if (!message) return type
    if (message.openapi?.endsWith('.apiextensions.v1beta1.JSON')) return valueType(type.replace('v1beta1', 'v1')) // the same in both, and one scalar
    return message.jsonForm === 'list' ? `list of ${message.fields[0]?.type}` : (message.openapi ?? definitionOf(type))
  }

  function stated({ name, num, type, label, inline: _, required, omitempty, ptr, ...field }: FactField): Record<string, unknown> {
    const { listType, listMapKeys, mapType, structType, patchStrategy, patchMergeKey, deprecated } = field
    return given({
      name,
      num,
      type: label === 'optional' ? valueType(type) : `${label === 'repeated' ? 'list' : 'map'} of ${valueType(type)}`,
      required,
      omitempty,
      ptr,
      listType,
      listMapKeys,
      mapType,
      structType,
      patchStrategy,
      patchMergeKey,
      default: field.default,
      enum: field.enum && [...field.enum].sort(),
      deprecated,
    })
  }

  const fieldsOf = (message: Message): FactField[] => message.fields.flatMap(field => (field.inline ? fieldsOf(messages[field.type] as Message) : [field]))

  for (const [name, message] of Object.entries(messages)) {
    if (!isType(name, message)) continue
    it(`${name} has the same fields`, () => {
      const schema = schemaOf(name) as StructSchema
      expect(schema, 'the type').to.not.equal(undefined)
      expect([...schema.fields.values()].map(declared)).to.deep.equal(fieldsOf(message).map(stated))
      expect(schema.inlines.map(({ number }) => number)).to.deep.equal(message.fields.filter(field => field.inline).map(field => field.num))
      expect(given({ typeMeta: schema.typeMeta, structType: schema.structType })).to.deep.equal(
        given({ typeMeta: message.typeMeta, structType: message.structType }),
      )
    })

    it(`${name} with every field set is the same after protobuf and JSON`, () => {
      const schema = schemaOf(name) as StructSchema
      const full = decode(schema, fillStruct(schema, '', name.includes('apiextensions') ? SCHEMA_DEPTH : 0))
      const message = encodeMessage(schema, full)
      expect(decode(schema, decodeMessage(schema, message))).to.deep.equal(full)
      expect(encodeMessage(schema, decode(schema, decodeMessage(schema, message)))).to.deep.equal(message)
      expect(decode(schema, parseJson(encodeJson(schema, full)).value as JsonObject)).to.deep.equal(full)
    })
  }
})
