import { types } from '../../src/catalog/types.ts'
import type { TypeRegistry } from '../../src/schema/idl.ts'
import type { Field, Schema, StructSchema } from '../../src/schema/schema.ts'

/** A field as the reference records it. */
export interface FactField {
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

export interface Message {
  readonly openapi?: string
  readonly typeMeta?: boolean
  readonly structType?: string
  readonly jsonForm?: string
  readonly proto?: boolean
  readonly fields: readonly FactField[]
}

/** Messages of a release by their names. */
export type Messages = Readonly<Record<string, Message>>

/**
 * Messages that are no types of ours: kind and apiVersion stand in the envelope, and a Timestamp in the wire form of
 * times.
 */
const WIRE_ONLY = new Set([
  'k8s.io.apimachinery.pkg.apis.meta.v1.Timestamp',
  'k8s.io.apimachinery.pkg.apis.meta.v1.TypeMeta',
  'k8s.io.apimachinery.pkg.runtime.TypeMeta',
])

/** Protobuf's names of Go's types. */
const PROTOBUF_TYPES: Readonly<Record<string, string>> = { 'types.UID': 'string', '[]uint8': 'bytes', float64: 'double', float32: 'float' }

const definitionOf = (message: string): string =>
  message
    .replace(/^k8s\.io\./, 'io.k8s.')
    .replace('apiextensions_apiserver', 'apiextensions-apiserver')
    .replace('kube_aggregator', 'kube-aggregator')

/** Without what is absent or false. */
export const given = (members: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined && value !== false))

/** Whether a message is declared as a type of ours. */
export const isType = (name: string, { jsonForm, proto }: Message): boolean =>
  jsonForm === undefined && proto !== false && !WIRE_ONLY.has(name)

/** Our type of a message. */
export const schemaOf = (name: string, { openapi }: Message, registry: TypeRegistry = types): StructSchema | undefined =>
  registry.byDefinition(openapi ?? definitionOf(name))

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

/** Describes a declared field in the terms of the reference. */
export function declared({ name, number, schema, ...field }: Field): Record<string, unknown> {
  const list = schema.type === 'list' && !schema.unstated ? schema : undefined
  const innermost = schema.type === 'list' ? schema.items : schema.type === 'map' ? schema.values : schema
  return given({
    name,
    num: number,
    type: typeOf(schema),
    required: field.required,
    omitempty: field.omitEmpty,
    ptr: field.pointer || (schema.type === 'list' && schema.pointerItems),
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

/** Returns the type of a value. A list in a map is wrapped in a message. */
function valueType(messages: Messages, type: string): string {
  const message = messages[type]
  if (!message) return type
  if (message.openapi?.endsWith('.apiextensions.v1beta1.JSON')) return valueType(messages, type.replace('v1beta1', 'v1')) // the same in both, and one scalar
  return message.jsonForm === 'list' ? `list of ${message.fields[0]?.type}` : (message.openapi ?? definitionOf(type))
}

/** Describes a field of the reference in the same terms. */
export function stated(
  messages: Messages,
  { name, num, type, label, required, omitempty, ptr, ...field }: FactField,
): Record<string, unknown> {
  const { listType, listMapKeys, mapType, structType, patchStrategy, patchMergeKey, deprecated } = field
  const value = valueType(messages, type)
  return given({
    name,
    num,
    type: label === 'optional' ? value : `${label === 'repeated' ? 'list' : 'map'} of ${value}`,
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

/** Every member of the JSON object, those of inlined messages among them. */
export const fieldsOf = (messages: Messages, message: Message): FactField[] =>
  message.fields.flatMap(field => (field.inline ? fieldsOf(messages, messages[field.type] as Message) : [field]))
