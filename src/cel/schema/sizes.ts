import { ownMember } from '../../meta/equal.ts'
import { additionalSchema, itemsSchema, type JsonSchemaProps } from '../../schema/json-schema/props.ts'
import { type Bounds, between } from '../cost/bounds.ts'
import type { SizeAt } from '../cost/estimated-node.ts'
import { escapeProperty } from './property-names.ts'
import { isWhole, withNames } from './whole-objects.ts'

/** The largest request that is reckoned with: sizes that a schema leaves open are what fits into one. */
const MAX_REQUEST = 3 * 1024 * 1024

/** How large a value of a schema may be, and what it takes at least as JSON. Source: kubernetes/apiserver, pkg/cel/common/schemas.go. */
export interface SizedType {
  /** Characters, bytes, elements or entries; 0 of what has none. */
  readonly maxElements: number
  /** Bytes. */
  readonly minSerialized: number
  readonly elements?: SizedType
  /** Of a map its keys. */
  readonly isMap?: boolean
  /** By escaped names. */
  readonly fields?: ReadonlyMap<string, SizedType>
}

/** A type without parts. */
const plain = (minSerialized: number, maxElements = 0): SizedType => ({ minSerialized, maxElements })
const KEY = plain(2)
const FORMATS: Readonly<Record<string, SizedType>> = { duration: plain(3, 32), date: plain(12, 12), 'date-time': plain(21, 32) }
const SCALARS: Readonly<Record<string, SizedType>> = { boolean: plain(4), number: plain(1), integer: plain(1) }

const notNegative = (value: number): number => Math.max(0, value)

/** Undefined where expressions do not see values of the schema. @param whole whether they are whole objects. */
export function sizedType(schema: JsonSchemaProps, whole: boolean): SizedType | undefined {
  if (schema['x-kubernetes-int-or-string']) return plain(1, MAX_REQUEST - 2)
  switch (schema.type) {
    case 'array':
      return sizedList(schema)
    case 'object':
      return sizedObject(whole ? withNames(schema) : schema)
    case 'string':
      return sizedString(schema)
    default:
      return SCALARS[schema.type ?? '']
  }
}

/** As many items as fit into a request, unless `maxItems` says less. */
function sizedList(schema: JsonSchemaProps): SizedType | undefined {
  const items = itemsSchema(schema)
  const elements = items && sizedType(items, isWhole(items))
  if (!elements) return undefined
  const fitting = Math.floor((MAX_REQUEST - 2) / (elements.minSerialized + 1))
  return { maxElements: schema.maxItems === undefined ? fitting : notNegative(schema.maxItems), minSerialized: 2, elements }
}

/** A map likewise; a struct takes at least the members that must be there. */
function sizedObject(schema: JsonSchemaProps): SizedType | undefined {
  const additional = additionalSchema(schema)
  if (additional) {
    const elements = sizedType(additional, isWhole(additional))
    if (!elements) return undefined
    // A key takes two quotes, a colon and a comma, and two bytes beside.
    const fitting = Math.floor((MAX_REQUEST - 2) / (elements.minSerialized + 6))
    return { maxElements: schema.maxProperties === undefined ? fitting : notNegative(schema.maxProperties), minSerialized: 2, elements, isMap: true }
  }
  const fields = new Map<string, SizedType>()
  const required = new Set(schema.required)
  let minSerialized = 2
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const type = sizedType(property, isWhole(property))
    if (!type) continue
    const escaped = escapeProperty(name)
    if (escaped !== undefined) fields.set(escaped, type)
    // What has a default may be left out of a request.
    if (required.has(name) && property.default === undefined) minSerialized += Buffer.byteLength(name) + type.minSerialized + 4
  }
  return { maxElements: 0, minSerialized, fields }
}

/** By the format, `maxLength` or the longest value of an enum; otherwise as long as a request. */
function sizedString({ format = '', maxLength, enum: values = [] }: JsonSchemaProps): SizedType {
  if (format === 'byte') return plain(2, maxLength === undefined ? MAX_REQUEST - 2 : notNegative(maxLength))
  const known = ownMember(FORMATS, format)
  if (known) return known
  // A character may take four bytes.
  if (maxLength !== undefined) return plain(2, notNegative(maxLength) * 4)
  if (values.length > 0) return plain(2, Math.max(0, ...values.map(value => (typeof value === 'string' ? Buffer.byteLength(value) : 0))))
  return plain(2, MAX_REQUEST - 2)
}

/** One step of a path (see `EstimatedNode.path`). */
function stepInto(type: SizedType, name: string): SizedType | undefined {
  if (name === '@items' || name === '@values') return type.elements
  if (name === '@keys') return type.isMap ? KEY : undefined
  return type.fields?.get(name)
}

/** How large values at a path may be. The path begins with a variable, which is of the type itself. */
export const sizesOf =
  (type: SizedType): SizeAt =>
  (path): Bounds | undefined => {
    let at: SizedType | undefined = type
    for (const name of path.slice(1)) {
      at = stepInto(at, name)
      if (!at) return undefined
    }
    return between(0, at.maxElements)
  }

/** How often values of a type can be in one request, with a comma between. */
export const mostOccurrences = ({ minSerialized }: SizedType): bigint => BigInt(Math.floor(MAX_REQUEST / (minSerialized + 1)))
