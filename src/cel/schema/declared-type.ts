import type { JsonSchemaProps } from '../../api/apiextensions/json-schema-props.ts'
import { additionalSchema, itemsSchema } from '../../schema/json-schema/props.ts'
import type { StructDeclaration } from '../declarations.ts'
import { BOOL, BYTES, DOUBLE, DURATION, DYN, INT, listTypeOf, mapOf, STRING, structOf, TIMESTAMP, type Type } from '../type.ts'
import { escapeProperty, RESERVED } from './property-names.ts'
import { isWhole, withNames } from './whole-objects.ts'

/** Types of the values of a schema. Structs are looked up by the names that these types contain. */
export interface DeclaredTypes {
  /** Undefined if expressions cannot represent the values, because the schema or a part of it has no type. */
  readonly type?: Type
  readonly struct: (name: string) => StructDeclaration | undefined
}

/** Types of strings with a format. */
const STRING_FORMATS: Readonly<Record<string, Type>> = { byte: BYTES, duration: DURATION, date: TIMESTAMP, 'date-time': TIMESTAMP }
const SCALARS: Readonly<Record<string, Type>> = { boolean: BOOL, number: DOUBLE, integer: INT }

/**
 * Declares the types of a schema.
 * @param whole whether the values are whole objects, with apiVersion, kind and metadata.
 * @param name name of the struct if the values are objects. Names of nested structs are derived from it.
 */
export function declareTypes(schema: JsonSchemaProps, whole: boolean, name: string): DeclaredTypes {
  const structs = new Map<string, StructDeclaration>()
  const type = typeOfSchema(schema, whole, name, structs)
  return { ...(type ? { type } : {}), struct: struct => structs.get(struct) }
}

type Structs = Map<string, StructDeclaration>

/** Returns the type of a schema. Undefined if the schema, or a part of it, has no type. */
function typeOfSchema(schema: JsonSchemaProps, whole: boolean, name: string, structs: Structs): Type | undefined {
  if (schema['x-kubernetes-int-or-string']) return DYN
  if (schema.type === 'array') {
    const items = itemsSchema(schema)
    const type = items && typeOfSchema(items, isWhole(items), `${name}.@idx`, structs)
    return type && listTypeOf(type)
  }
  if (schema.type === 'object') return typeOfObject(whole ? withNames(schema) : schema, name, structs)
  if (schema.type === 'string') return STRING_FORMATS[schema.format ?? ''] ?? STRING
  return SCALARS[schema.type ?? '']
}

/** Returns a map for additional properties, otherwise a struct. */
function typeOfObject(schema: JsonSchemaProps, name: string, structs: Structs): Type | undefined {
  const values = additionalSchema(schema)
  if (values) {
    const type = typeOfSchema(values, isWhole(values), `${name}.@elem`, structs)
    return type && mapOf(STRING, type)
  }
  structs.set(name, structOfSchema(schema, name, structs))
  return structOf(name)
}

/**
 * Declares a struct whose fields are computed on first use. With eager fields, rules at several depths would visit the
 * same schema repeatedly.
 */
function structOfSchema(schema: JsonSchemaProps, name: string, structs: Structs): StructDeclaration {
  let properties: Map<string, JsonSchemaProps> | undefined
  return {
    fieldType(field) {
      properties ??= new Map(Object.entries(schema.properties ?? {}).map(([property, inner]) => [escapeProperty(property) ?? '', inner]))
      // A reserved word needs no escaping after a dot.
      const property =
        field === '' ? undefined : (properties.get(field) ?? (RESERVED.has(field) ? properties.get(`__${field}__`) : undefined))
      return property && typeOfSchema(property, isWhole(property), `${name}.${field}`, structs)
    },
  }
}
