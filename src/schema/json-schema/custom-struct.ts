import { ownMember } from '../../meta/equal.ts'
import type { Json } from '../../meta/object.ts'
import type { Field, ListSchema, MapSchema, ObjectForm, ScalarSchema, Schema, StructSchema } from '../schema.ts'
import { TYPED } from '../typed-form.ts'
import { objectMetaType } from './embedded-meta.ts'
import { additionalSchema, itemsSchema, type JsonSchemaProps } from './props.ts'

/** Types of scalars as apply sees them. */
const SCALARS: Readonly<Record<string, ScalarSchema>> = {
  integer: { type: 'integer', goType: 'int64' },
  number: { type: 'number', goType: 'float64' },
  boolean: { type: 'boolean', goType: 'bool' },
  string: { type: 'string', goType: 'string' },
}

/** Any JSON, tracked by what it is. */
const ANY: Schema = { type: 'json', goType: 'any' }

/** Go has no struct for a custom kind: every member is as if it were a pointer. */
const field = (name: string, schema: Schema, required: boolean, value?: Json): [string, Field] => [
  name,
  { name, number: 0, schema, required, omitEmpty: true, pointer: true, ...(value !== undefined && { default: value }) },
]

/** What a custom kind is called beside its schema. */
export interface CustomStruct {
  readonly kind: string
  /** Of its definition in OpenAPI. */
  readonly definition: string
  readonly form: ObjectForm
}

/** The schema model of a kind that a structural schema describes, as apply looks at it: `metadata` is that of every object. */
export function customStruct(props: JsonSchemaProps, { kind, definition, form }: CustomStruct): StructSchema {
  const { fields, ...rest } = structOf(props)
  const metadata: [string, Field] = ['metadata', { name: 'metadata', number: 0, schema: objectMetaType(), required: false, omitEmpty: true, pointer: false }]
  return { ...rest, name: kind, definition, typeMeta: true, form, fields: new Map([...fields, metadata]) }
}

/** Source: `visitSpec` of kube-openapi's schemaconv, which hands it down from lists and maps, too. */
const keepsUnknown = (props: JsonSchemaProps): boolean => props['x-kubernetes-preserve-unknown-fields'] === true

/** By the schema, and by whether unknown members are kept around it. */
const structs = { within: new WeakMap<JsonSchemaProps, StructSchema>(), outside: new WeakMap<JsonSchemaProps, StructSchema>() }

/** One for all places where the schema stands. `within`: unknown members are kept in what is around it, and so in it. */
function structOf(props: JsonSchemaProps, within = false): StructSchema {
  const known = within ? structs.within : structs.outside
  let struct = known.get(props)
  if (!struct) {
    struct = makeStruct(props, within)
    known.set(props, struct)
  }
  return struct
}

/** A struct without properties is open: apply tracks its members by name. Nothing asks for the form of a struct that is not the whole object. */
function makeStruct(props: JsonSchemaProps, within: boolean): StructSchema {
  const keeps = within || keepsUnknown(props)
  const required = new Set(props.required)
  const fields = Object.entries(props.properties ?? {}).map(([name, member]) => field(name, schemaOf(member, keeps), required.has(name), member.default))
  const open = keeps || fields.length === 0
  const structType = mapTypeOf(props)
  return {
    type: 'struct',
    name: 'Custom',
    fields: new Map(fields),
    inlines: [],
    typeMeta: false,
    form: TYPED,
    ...(structType && { structType }),
    ...(open && { preserveUnknown: true }),
  }
}

/** What is none of the three was refused when the definition was written. */
function listTypeOf({ 'x-kubernetes-list-type': type }: JsonSchemaProps): ListSchema['listType'] {
  return type === 'atomic' || type === 'set' || type === 'map' ? type : undefined
}

/** The same for maps. */
function mapTypeOf({ 'x-kubernetes-map-type': type }: JsonSchemaProps): MapSchema['mapType'] {
  return type === 'atomic' || type === 'granular' ? type : undefined
}

/** The model of a value by its schema; what has no type may be anything. */
function schemaOf(props: JsonSchemaProps, around: boolean): Schema {
  const within = around || keepsUnknown(props)
  if (props['x-kubernetes-int-or-string']) return { type: 'intOrString', goType: 'intstr.IntOrString' }
  if (props['x-kubernetes-embedded-resource']) return embeddedOf(props, within)
  const items = itemsSchema(props)
  const values = additionalSchema(props)
  if (props.type === 'array') {
    const listType = listTypeOf(props)
    return {
      type: 'list',
      items: items ? schemaOf(items, within) : ANY,
      ...(listType && { listType }),
      ...(props['x-kubernetes-list-map-keys'] && { listMapKeys: props['x-kubernetes-list-map-keys'] }),
    }
  }
  const mapType = mapTypeOf(props)
  if (values) return { type: 'map', values: schemaOf(values, within), ...(mapType && { mapType }) }
  if (props.type === 'object' && props.additionalProperties === true) return { type: 'map', values: ANY, ...(mapType && { mapType }) }
  if (props.type === 'object') return structOf(props, within)
  return ownMember(SCALARS, props.type ?? '') ?? ANY
}

/** An object of the API within another: its kind, apiVersion and metadata are known, whatever the schema says. */
function embeddedOf(props: JsonSchemaProps, within: boolean): StructSchema {
  const { fields, ...rest } = structOf(props, within)
  const metadata = fields.get('metadata') ?? field('metadata', objectMetaType(), false)[1]
  return { ...rest, typeMeta: true, fields: new Map([...fields, ['metadata', metadata]]) }
}
