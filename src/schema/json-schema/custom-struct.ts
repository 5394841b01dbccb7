import type { JsonSchemaProps } from '../../api/apiextensions/json-schema-props.ts'
import type { Json } from '../../api/meta/object.ts'
import { ownMember } from '../../meta/equal.ts'
import type { Field, ListSchema, MapSchema, ObjectForm, ScalarSchema, Schema, StructSchema } from '../schema.ts'
import { TYPED } from '../typed-form.ts'
import { objectMetaType } from './embedded-meta.ts'
import { additionalSchema, itemsSchema } from './props.ts'

/** Scalar types in the schema model that apply uses. */
const SCALARS: Readonly<Record<string, ScalarSchema>> = {
  integer: { type: 'integer', goType: 'int64' },
  number: { type: 'number', goType: 'float64' },
  boolean: { type: 'boolean', goType: 'bool' },
  string: { type: 'string', goType: 'string' },
}

/** Any JSON, tracked by its own structure. */
const ANY: Schema = { type: 'json', goType: 'any' }

/** Creates a field. A custom kind has no Go struct, so every member is treated like a pointer. */
const field = (name: string, schema: Schema, required: boolean, value?: Json): [string, Field] => [
  name,
  { name, number: 0, schema, required, omitEmpty: true, pointer: true, ...(value !== undefined && { default: value }) },
]

/** Properties of a custom kind besides its schema. */
export interface CustomStruct {
  readonly kind: string
  /** Name of its OpenAPI definition. */
  readonly definition: string
  readonly form: ObjectForm
  /** Optional. Whether items of lists of type map may omit some of their keys. Default: false. */
  readonly partialKeys?: boolean
}

/** Properties of the schemas around a schema. */
interface Surroundings {
  /** Whether an enclosing schema preserves unknown members, so that this one does as well. */
  readonly keeps: boolean
  readonly partialKeys: boolean
}

/** Converts the structural schema of a kind to the schema model that apply uses. `metadata` is that of every object. */
export function customStruct(props: JsonSchemaProps, { kind, definition, form, partialKeys = false }: CustomStruct): StructSchema {
  const { fields, ...rest } = structOf(props, { keeps: false, partialKeys })
  const metadata: [string, Field] = [
    'metadata',
    { name: 'metadata', number: 0, schema: objectMetaType(), required: false, omitEmpty: true, pointer: false },
  ]
  return { ...rest, name: kind, definition, typeMeta: true, form, fields: new Map([...fields, metadata]) }
}

/**
 * Whether unknown members are preserved. Lists and maps pass this on to their items. Source: `visitSpec` of
 * kube-openapi's schemaconv.
 */
const keepsUnknown = (props: JsonSchemaProps): boolean => props['x-kubernetes-preserve-unknown-fields'] === true

/** Structs by schema, for each kind of surroundings. */
const structs = [0, 1, 2, 3].map(() => new WeakMap<JsonSchemaProps, StructSchema>())

/** Returns the struct of a schema, which all its occurrences share. */
function structOf(props: JsonSchemaProps, around: Surroundings): StructSchema {
  const known = structs[(around.keeps ? 1 : 0) + (around.partialKeys ? 2 : 0)]
  const struct = known?.get(props) ?? makeStruct(props, around)
  known?.set(props, struct)
  return struct
}

/**
 * Creates a struct. Without properties it is open: apply tracks its members by name. The form of a struct that is not a
 * whole object is never used.
 */
function makeStruct(props: JsonSchemaProps, around: Surroundings): StructSchema {
  const keeps = around.keeps || keepsUnknown(props)
  const required = new Set(props.required)
  const fields = Object.entries(props.properties ?? {}).map(([name, member]) =>
    field(name, convertSchema(member, { ...around, keeps }), required.has(name), member.default),
  )
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

/** Other values were rejected when the definition was created. */
function listTypeOf({ 'x-kubernetes-list-type': type }: JsonSchemaProps): ListSchema['listType'] {
  return type === 'atomic' || type === 'set' || type === 'map' ? type : undefined
}

/** Like `listTypeOf`, for maps. */
function mapTypeOf({ 'x-kubernetes-map-type': type }: JsonSchemaProps): MapSchema['mapType'] {
  return type === 'atomic' || type === 'granular' ? type : undefined
}

/** Converts the schema of a value. A schema without a type allows any value. */
function convertSchema(props: JsonSchemaProps, around: Surroundings): Schema {
  const within = { ...around, keeps: around.keeps || keepsUnknown(props) }
  if (props['x-kubernetes-int-or-string']) return { type: 'intOrString', goType: 'intstr.IntOrString' }
  if (props['x-kubernetes-embedded-resource']) return embeddedOf(props, within)
  const items = itemsSchema(props)
  const values = additionalSchema(props)
  if (props.type === 'array') {
    const listType = listTypeOf(props)
    return {
      type: 'list',
      items: items ? convertSchema(items, within) : ANY,
      ...(listType && { listType }),
      ...(props['x-kubernetes-list-map-keys'] && { listMapKeys: props['x-kubernetes-list-map-keys'] }),
      ...(listType === 'map' && within.partialKeys && { partialKeys: true }),
    }
  }
  const mapType = mapTypeOf(props)
  if (values) return { type: 'map', values: convertSchema(values, within), ...(mapType && { mapType }) }
  if (props.type === 'object' && props.additionalProperties === true) return { type: 'map', values: ANY, ...(mapType && { mapType }) }
  if (props.type === 'object') return structOf(props, within)
  return ownMember(SCALARS, props.type ?? '') ?? ANY
}

/**
 * Converts the schema of an embedded object, whose kind, apiVersion and metadata are known whatever the schema
 * declares.
 */
function embeddedOf(props: JsonSchemaProps, within: Surroundings): StructSchema {
  const { fields, ...rest } = structOf(props, within)
  const metadata = fields.get('metadata') ?? field('metadata', objectMetaType(), false)[1]
  return { ...rest, typeMeta: true, fields: new Map([...fields, ['metadata', metadata]]) }
}
