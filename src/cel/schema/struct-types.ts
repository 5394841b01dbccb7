import type { JsonSchemaProps } from '../../api/apiextensions/json-schema-props.ts'
import type { Steps } from '../../lib/steps.ts'
import { type DefinitionContext, type FormName, isScalar, type ScalarType, type Schema, type StructSchema } from '../../schema/schema.ts'
import type { StructDeclaration } from '../declarations.ts'
import { BOOL, BYTES, DOUBLE, DYN, INT, listTypeOf, mapOf, STRING, structOf, TIMESTAMP, type Type } from '../type.ts'
import { type DeclaredTypes, declareTypes } from './declared-type.ts'
import { unescapeProperty } from './property-names.ts'

/** Types by OpenAPI scalar type. Undefined for a scalar of any type, which expressions cannot represent. */
const SCALARS: Readonly<Record<ScalarType, Type | undefined>> = {
  string: STRING,
  integer: INT,
  number: DOUBLE,
  boolean: BOOL,
  bytes: BYTES,
  time: TIMESTAMP,
  microTime: TIMESTAMP,
  duration: STRING,
  quantity: undefined,
  intOrString: DYN,
  raw: undefined,
  json: undefined,
}

type Structs = Map<string, StructDeclaration>

/**
 * Declares the types of the objects of a built-in or custom kind, for type checking of policies. Runs in steps, because
 * a custom kind can be large.
 * @param name name of the struct. Names of nested structs are derived from it.
 */
export const declareStruct = (schema: StructSchema, name: string): Steps<DeclaredTypes> => DECLARE[schema.form.name](schema, name)

const DECLARE: Readonly<Record<FormName, (schema: StructSchema, name: string) => Steps<DeclaredTypes>>> = {
  *typed(schema, name) {
    const structs: Structs = new Map()
    return { type: declared(schema, name, structs), struct: struct => structs.get(struct) }
  },
  /** Declares a custom kind by its schema. Its metadata has the same type as in every kind. */
  *unstructured(schema, name) {
    const structs: Structs = new Map()
    const definition = schema.form.define(schema, ALONE)
    const custom = declareTypes((typeof definition === 'function' ? yield* definition() : definition) as JsonSchemaProps, true, name)
    const root = custom.struct(name)
    structs.set(name, { fieldType: field => (field === 'metadata' ? metadataOf(schema, name, structs) : root?.fieldType(field)) })
    return { type: structOf(name), struct: struct => structs.get(struct) ?? custom.struct(struct) }
  },
}

const anyObject = () => ({ type: 'object' })

/** Context of a definition without references. */
const ALONE: DefinitionContext = { version: 3, refer: anyObject, referMetadata: anyObject, ofFields: anyObject }

function metadataOf({ fields }: StructSchema, name: string, structs: Structs): Type | undefined {
  const metadata = fields.get('metadata')?.schema
  return metadata && typeOfSchema(metadata, `${name}.metadata`, structs)
}

/** Declares a struct whose fields are computed on first use, because types are recursive. */
function declared(schema: StructSchema, name: string, structs: Structs): Type {
  structs.set(name, {
    fieldType(field) {
      if (schema.typeMeta && (field === 'kind' || field === 'apiVersion')) return STRING
      const property = schema.fields.get(field) ?? schema.fields.get(unescapeProperty(field) ?? '')
      return property && typeOfSchema(property.schema, `${name}.${field}`, structs)
    },
  })
  return structOf(name)
}

function typeOfSchema(schema: Schema, name: string, structs: Structs): Type | undefined {
  if (isScalar(schema)) return schema.type === 'raw' ? emptyStruct(name, structs) : SCALARS[schema.type]
  if (schema.type === 'struct') return declared(schema, name, structs)
  if (schema.type === 'union') return undefined
  const inner =
    schema.type === 'map' ? typeOfSchema(schema.values, `${name}.@elem`, structs) : typeOfSchema(schema.items, `${name}.@idx`, structs)
  return inner && (schema.type === 'map' ? mapOf(STRING, inner) : listTypeOf(inner))
}

/** Declares an object without known fields. */
function emptyStruct(name: string, structs: Structs): Type {
  structs.set(name, { fieldType: () => undefined })
  return structOf(name)
}
