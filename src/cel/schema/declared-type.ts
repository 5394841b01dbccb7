import { additionalSchema, itemsSchema, type JsonSchemaProps } from '../../schema/json-schema/props.ts'
import type { StructDeclaration } from '../declarations.ts'
import { BOOL, BYTES, DOUBLE, DURATION, DYN, INT, listOf, mapOf, STRING, structOf, TIMESTAMP, type Type } from '../type.ts'
import { escapeProperty, RESERVED } from './property-names.ts'
import { isWhole, withNames } from './whole-objects.ts'

/** The types that expressions know the values of a schema by. Structs are found by name, once a type that names them was given. */
export interface DeclaredTypes {
  /** Absent where expressions do not see such values: without a type, or with parts that have none. */
  readonly type?: Type
  readonly struct: (name: string) => StructDeclaration | undefined
}

/** Strings of these formats are other values to expressions. */
const STRING_FORMATS: Readonly<Record<string, Type>> = { byte: BYTES, duration: DURATION, date: TIMESTAMP, 'date-time': TIMESTAMP }
const SCALARS: Readonly<Record<string, Type>> = { boolean: BOOL, number: DOUBLE, integer: INT }

/**
 * @param whole whether the values are whole objects, with apiVersion, kind and metadata.
 * @param name of the struct if the values are objects; structs in it have names made of it.
 */
export function declareTypes(schema: JsonSchemaProps, whole: boolean, name: string): DeclaredTypes {
  const structs = new Map<string, StructDeclaration>()
  const type = typeOfSchema(schema, whole, name, structs)
  return { ...(type ? { type } : {}), struct: struct => structs.get(struct) }
}

type Structs = Map<string, StructDeclaration>

/** Undefined for a schema without a type, and for one with a part that has none: such values are not seen. */
function typeOfSchema(schema: JsonSchemaProps, whole: boolean, name: string, structs: Structs): Type | undefined {
  if (schema['x-kubernetes-int-or-string']) return DYN
  if (schema.type === 'array') {
    const items = itemsSchema(schema)
    const type = items && typeOfSchema(items, isWhole(items), `${name}.@idx`, structs)
    return type && listOf(type)
  }
  if (schema.type === 'object') return typeOfObject(whole ? withNames(schema) : schema, name, structs)
  if (schema.type === 'string') return STRING_FORMATS[schema.format ?? ''] ?? STRING
  return SCALARS[schema.type ?? '']
}

/** A map where members have no names of their own, otherwise a struct. */
function typeOfObject(schema: JsonSchemaProps, name: string, structs: Structs): Type | undefined {
  const values = additionalSchema(schema)
  if (values) {
    const type = typeOfSchema(values, isWhole(values), `${name}.@elem`, structs)
    return type && mapOf(STRING, type)
  }
  structs.set(name, structOfSchema(schema, name, structs))
  return structOf(name)
}

/** Fields are looked at when they are asked for: rules at many depths do not make each other dearer. */
function structOfSchema(schema: JsonSchemaProps, name: string, structs: Structs): StructDeclaration {
  let properties: Map<string, JsonSchemaProps> | undefined
  return {
    fieldType(field) {
      properties ??= new Map(Object.entries(schema.properties ?? {}).map(([property, inner]) => [escapeProperty(property) ?? '', inner]))
      // A key word behind a dot needs no escaping.
      const property = field === '' ? undefined : (properties.get(field) ?? (RESERVED.has(field) ? properties.get(`__${field}__`) : undefined))
      return property && typeOfSchema(property, isWhole(property), `${name}.${field}`, structs)
    },
  }
}
