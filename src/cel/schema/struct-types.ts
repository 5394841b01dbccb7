import type { JsonSchemaProps } from '../../schema/json-schema/props.ts'
import { type DefinitionContext, type FormName, isScalar, type ScalarType, type Schema, type StructSchema } from '../../schema/schema.ts'
import type { StructDeclaration } from '../declarations.ts'
import { BOOL, BYTES, DOUBLE, DYN, INT, listOf, mapOf, STRING, structOf, TIMESTAMP, type Type } from '../type.ts'
import { type DeclaredTypes, declareTypes } from './declared-type.ts'
import { unescapeProperty } from './property-names.ts'

/** By what OpenAPI says of them. What may be anything has no type there, and no expression sees it. */
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

/** The types that a checker of policies knows the objects of a kind by, built-in or custom. @param name of the struct; structs in it have names made of it. */
export const declareStruct = (schema: StructSchema, name: string): DeclaredTypes => DECLARE[schema.form.name](schema, name)

const DECLARE: Readonly<Record<FormName, (schema: StructSchema, name: string) => DeclaredTypes>> = {
  typed(schema, name) {
    const structs: Structs = new Map()
    return { type: declared(schema, name, structs), struct: struct => structs.get(struct) }
  },
  /** By the schema, but for the metadata, which has the type that it has in every kind. */
  unstructured(schema, name) {
    const structs: Structs = new Map()
    const definition = schema.form.define(schema, ALONE)
    const custom = declareTypes((typeof definition === 'function' ? definition() : definition) as JsonSchemaProps, true, name)
    const root = custom.struct(name)
    structs.set(name, { fieldType: field => (field === 'metadata' ? metadataOf(schema, name, structs) : root?.fieldType(field)) })
    return { type: structOf(name), struct: struct => structs.get(struct) ?? custom.struct(struct) }
  },
}

const anyObject = () => ({ type: 'object' })

/** For a definition that refers to no other. */
const ALONE: DefinitionContext = { version: 3, refer: anyObject, referMetadata: anyObject, ofFields: anyObject }

function metadataOf({ fields }: StructSchema, name: string, structs: Structs): Type | undefined {
  const metadata = fields.get('metadata')?.schema
  return metadata && typeOfSchema(metadata, `${name}.metadata`, structs)
}

/** Fields are looked at when they are asked for: types are recursive. */
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
  const inner = schema.type === 'map' ? typeOfSchema(schema.values, `${name}.@elem`, structs) : typeOfSchema(schema.items, `${name}.@idx`, structs)
  return inner && (schema.type === 'map' ? mapOf(STRING, inner) : listOf(inner))
}

/** An object of which nothing is known. */
function emptyStruct(name: string, structs: Structs): Type {
  structs.set(name, { fieldType: () => undefined })
  return structOf(name)
}
