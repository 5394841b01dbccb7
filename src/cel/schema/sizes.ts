import type { JsonSchemaProps } from '../../api/apiextensions/json-schema-props.ts'
import { ownMember } from '../../meta/equal.ts'
import { additionalSchema, itemsSchema } from '../../schema/json-schema/props.ts'
import { between, type CostBounds } from '../cost/bounds.ts'
import type { SizeAt } from '../cost/estimated-node.ts'
import { escapeProperty } from './property-names.ts'
import { isWhole, withNames } from './whole-objects.ts'

/** Maximum size of a request, in bytes. It bounds sizes that the schema does not limit. */
const MAX_REQUEST = 3 * 1024 * 1024

/**
 * Maximum size of the values of a schema, and their minimum size as JSON. Source: kubernetes/apiserver,
 * pkg/cel/common/schemas.go.
 */
export interface SizedType {
  /** Maximum number of characters, bytes, elements or entries. 0 for values without a size. */
  readonly maxElements: number
  /** Minimum size as JSON, in bytes. */
  readonly minSerialized: number
  readonly elements?: SizedType
  /** Whether it is a map, whose keys have a size as well. */
  readonly isMap?: boolean
  /** Fields by their escaped name. */
  readonly fields?: ReadonlyMap<string, SizedType>
}

/** A type without parts. */
const scalarSize = (minSerialized: number, maxElements = 0): SizedType => ({ minSerialized, maxElements })
const KEY = scalarSize(2)
const FORMATS: Readonly<Record<string, SizedType>> = {
  duration: scalarSize(3, 32),
  date: scalarSize(12, 12),
  'date-time': scalarSize(21, 32),
}
const SCALARS: Readonly<Record<string, SizedType>> = { boolean: scalarSize(4), number: scalarSize(1), integer: scalarSize(1) }

const notNegative = (value: number): number => Math.max(0, value)

/**
 * Returns the sizes of a schema. Undefined if expressions cannot represent its values.
 * @param whole whether the values are whole objects.
 * @param boundsNames whether the names of whole objects have the maximum length of names. Otherwise only the size of a
 * request limits them.
 */
export function sizedType(schema: JsonSchemaProps, whole: boolean, boundsNames = false): SizedType | undefined {
  if (schema['x-kubernetes-int-or-string']) return scalarSize(1, MAX_REQUEST - 2)
  switch (schema.type) {
    case 'array':
      return sizedList(schema, boundsNames)
    case 'object':
      return sizedObject(whole ? withNames(schema, boundsNames) : schema, boundsNames)
    case 'string':
      return sizedString(schema)
    default:
      return SCALARS[schema.type ?? '']
  }
}

/** Limits a list by `maxItems`, or by the items that fit into a request. */
function sizedList(schema: JsonSchemaProps, boundsNames: boolean): SizedType | undefined {
  const items = itemsSchema(schema)
  const elements = items && sizedType(items, isWhole(items), boundsNames)
  if (!elements) return undefined
  const fitting = Math.floor((MAX_REQUEST - 2) / (elements.minSerialized + 1))
  return { maxElements: schema.maxItems === undefined ? fitting : notNegative(schema.maxItems), minSerialized: 2, elements }
}

/**
 * Limits a map by `maxProperties`, or by the entries that fit into a request. The minimum size of a struct includes its
 * required members.
 */
function sizedObject(schema: JsonSchemaProps, boundsNames: boolean): SizedType | undefined {
  const additional = additionalSchema(schema)
  if (additional) {
    const elements = sizedType(additional, isWhole(additional), boundsNames)
    if (!elements) return undefined
    // An entry needs two quotes, a colon and a comma. Upstream adds two bytes.
    const fitting = Math.floor((MAX_REQUEST - 2) / (elements.minSerialized + 6))
    return {
      maxElements: schema.maxProperties === undefined ? fitting : notNegative(schema.maxProperties),
      minSerialized: 2,
      elements,
      isMap: true,
    }
  }
  const fields = new Map<string, SizedType>()
  const required = new Set(schema.required)
  let minSerialized = 2
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const type = sizedType(property, isWhole(property), boundsNames)
    if (!type) continue
    const escaped = escapeProperty(name)
    if (escaped !== undefined) fields.set(escaped, type)
    // A required property with a default may be absent from the request.
    if (required.has(name) && property.default === undefined) minSerialized += Buffer.byteLength(name) + type.minSerialized + 4
  }
  return { maxElements: 0, minSerialized, fields }
}

/** Limits a string by its format, `maxLength` or longest enum value, otherwise by the size of a request. */
function sizedString({ format = '', maxLength, enum: values = [] }: JsonSchemaProps): SizedType {
  if (format === 'byte') return scalarSize(2, maxLength === undefined ? MAX_REQUEST - 2 : notNegative(maxLength))
  const known = ownMember(FORMATS, format)
  if (known) return known
  // A character can have four bytes.
  if (maxLength !== undefined) return scalarSize(2, notNegative(maxLength) * 4)
  if (values.length > 0)
    return scalarSize(2, Math.max(0, ...values.map(value => (typeof value === 'string' ? Buffer.byteLength(value) : 0))))
  return scalarSize(2, MAX_REQUEST - 2)
}

/** Follows one element of a path (see `EstimatedNode.path`). */
function stepInto(type: SizedType, name: string): SizedType | undefined {
  if (name === '@items' || name === '@values') return type.elements
  if (name === '@keys') return type.isMap ? KEY : undefined
  return type.fields?.get(name)
}

/** Returns the sizes at a path, whose first element is a variable of the type. */
export const sizesOf =
  (type: SizedType): SizeAt =>
  (path): CostBounds | undefined => {
    let at: SizedType | undefined = type
    for (const name of path.slice(1)) {
      at = stepInto(at, name)
      if (!at) return undefined
    }
    return between(0, at.maxElements)
  }

/** Returns how many values of a type fit into a request, separated by commas. */
export const mostOccurrences = ({ minSerialized }: SizedType): bigint => BigInt(Math.floor(MAX_REQUEST / (minSerialized + 1)))
