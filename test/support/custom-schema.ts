import { types } from '../../src/resources/types.ts'
import { additionalSchema, itemsSchema, type JsonSchemaProps } from '../../src/schema/json-schema/props.ts'
import type { Field, ListSchema, ScalarType, Schema, StructSchema } from '../../src/schema/schema.ts'

const GO_TYPES: Readonly<Record<string, string>> = { integer: 'int64', number: 'float64', boolean: 'bool', string: 'string' }

const field = (name: string, schema: Schema, props: JsonSchemaProps, required: boolean): [string, Field] => [
  name,
  { name, number: 0, schema, required, omitEmpty: true, pointer: true, ...(props.default !== undefined && { default: props.default }) },
]

/** The schema model of a kind that a structural schema describes, as far as apply looks at it: `metadata` is that of every object. */
export function customKind(props: JsonSchemaProps): StructSchema {
  const { fields, ...rest } = structOf(props)
  const metadata = types.type('core.ConfigMap').fields.get('metadata') as Field
  return { ...rest, typeMeta: true, fields: new Map([['metadata', metadata], ...fields]) }
}

function structOf(props: JsonSchemaProps): StructSchema {
  const fields = Object.entries(props.properties ?? {}).map(([name, member]) => field(name, schemaOf(member), member, props.required?.includes(name) === true))
  return {
    type: 'struct',
    name: 'Custom',
    fields: new Map(fields),
    inlines: [],
    typeMeta: false,
    ...(props['x-kubernetes-map-type'] && { structType: props['x-kubernetes-map-type'] as 'atomic' | 'granular' }),
    ...(props['x-kubernetes-preserve-unknown-fields'] && { preserveUnknown: true }),
  }
}

function schemaOf(props: JsonSchemaProps): Schema {
  const items = itemsSchema(props)
  const values = additionalSchema(props)
  if (props['x-kubernetes-int-or-string']) return { type: 'intOrString', goType: 'intstr.IntOrString' }
  if (props.type === 'array' && items) {
    const listType = props['x-kubernetes-list-type'] as ListSchema['listType']
    return {
      type: 'list',
      items: schemaOf(items),
      ...(listType && { listType }),
      ...(props['x-kubernetes-list-map-keys'] && { listMapKeys: props['x-kubernetes-list-map-keys'] }),
    }
  }
  if (values) {
    const mapType = props['x-kubernetes-map-type'] as 'atomic' | undefined
    return { type: 'map', values: schemaOf(values), ...(mapType && { mapType }) }
  }
  if (props.type === 'object') return structOf(props)
  return { type: (props.type ?? 'json') as ScalarType, goType: GO_TYPES[props.type ?? ''] ?? 'any' }
}
