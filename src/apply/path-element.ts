import type { Json } from '../api/meta/object.ts'
import { goJson } from '../codec/json.ts'
import { compareText } from '../lib/compare-text.ts'

/**
 * One element of a field path in the encoding of managed fields: `f:name` is a member, `k:{"name":"a"}` the list item
 * with these keys, `v:"a"` the item of a set with this value, `i:0` an index. The encoding is canonical (sorted keys,
 * Go's escapes): equal elements are equal strings.
 */
export type PathElement = string

/** The element of a member of an object. Names are not escaped. */
export const fieldElement = (name: string): PathElement => `f:${name}`
/** The element of an item of a set, which is a scalar. */
export const valueElement = (value: Json): PathElement => `v:${elementScalar(value)}`

/** The element of an item of a list of type map. `fields` must be sorted by name. */
export function keyElement(fields: readonly (readonly [string, Json])[]): PathElement {
  let text = 'k:{'
  for (const [name, value] of fields) text += `${text.length > 3 ? ',' : ''}${elementScalar(name)}:${elementScalar(value)}`
  return `${text}}`
}

/**
 * Canonicalizes an element from a request. Returns undefined if its prefix is unknown: later versions may add others.
 * Throws an Error with Go's message if it is malformed.
 */
export function canonicalElement(text: string): PathElement | undefined {
  if (text.length < 2) throw new Error('key must be 2 characters long:')
  if (text[1] !== ':') throw new Error(`missing colon: ${text}`)
  switch (text[0]) {
    case 'f':
      return text
    case 'v':
      return `v:${elementScalar(elementJson(text))}`
    case 'k':
      return keyElement(elementKeys(text))
    case 'i':
      return `i:${elementIndex(text.slice(2))}`
    default:
      return undefined
  }
}

/** Parses an index as Go does. Throws an Error with its message. */
function elementIndex(text: string): number {
  const fault = (why: string) => new Error(`strconv.Atoi: parsing ${JSON.stringify(text)}: ${why}`)
  if (!/^[+-]?\d+$/.test(text)) throw fault('invalid syntax')
  const index = Number(text)
  if (!Number.isSafeInteger(index)) throw fault('value out of range')
  return index
}

/** Prefixes of elements, in the order in which managed fields list them. */
const KINDS = 'fkvi'

/**
 * Orders elements as managed fields list them: members by name, then keyed items by their keys, then values, then
 * indices.
 */
export function compareElements(a: PathElement, b: PathElement): number {
  if (a === b) return 0
  const kind = a.charAt(0)
  if (kind !== b.charAt(0)) return KINDS.indexOf(kind) - KINDS.indexOf(b.charAt(0))
  if (kind === 'f') return compareText(a, b)
  if (kind === 'k') return compareKeys(elementKeys(a), elementKeys(b))
  if (kind === 'v') return compareScalars(elementJson(a), elementJson(b))
  return Number(a.slice(2)) - Number(b.slice(2))
}

/** The element in messages: `.spec`, `[name="a"]`, `[="a"]`, `[0]`. */
export function printElement(element: PathElement): string {
  const rest = element.slice(2)
  switch (element[0]) {
    case 'f':
      return `.${rest}`
    case 'k':
      return `[${elementKeys(element)
        .map(([name, value]) => `${name}=${printScalar(value)}`)
        .join(',')}]`
    case 'v':
      return `[=${printScalar(elementJson(element))}]`
    default:
      return `[${rest}]`
  }
}

/** A value in messages. Keys of an object that does not match its schema may be objects or lists. */
function printScalar(value: Json): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(printScalar).join(',')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value)
    .map(([name, member]) => `${name}=${printScalar(member)}`)
    .join('')
}

/** The JSON after the prefix of a `k:` or `v:` element. */
const elementJson = (text: PathElement): Json => JSON.parse(text.slice(2))

/** The keys of a `k:` element, sorted by name. Throws if its JSON is not an object. */
function elementKeys(text: PathElement): [string, Json][] {
  const parsed = elementJson(text)
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) throw new Error(`expect { or n, but found ${text[2]}`)
  return Object.entries(parsed).sort(([a], [b]) => compareText(a, b))
}

function compareKeys(a: readonly (readonly [string, Json])[], b: readonly (readonly [string, Json])[]): number {
  for (const [i, [name, value]] of a.entries()) {
    const other = b[i]
    if (other === undefined) return 1
    const order = compareText(name, other[0]) || compareScalars(value, other[1])
    if (order !== 0) return order
  }
  return a.length - b.length
}

/** Orders scalars: numbers, then strings, then booleans, then all others. */
export function compareScalars(a: Json, b: Json): number {
  const kind = rank(a) - rank(b)
  if (kind !== 0) return kind
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b)
  return Number(a) - Number(b)
}

function rank(value: Json): number {
  if (typeof value === 'number' || typeof value === 'bigint') return 0
  if (typeof value === 'string') return 1
  return typeof value === 'boolean' ? 2 : 3
}

/** Texts that neither JSON.stringify nor Go's encoding/json escapes. */
const PLAIN = /^[ !#-%'-;=?-[\]-~]*$/
const ESCAPED = /[<>&\u2028\u2029]/g

/** JSON of a scalar with Go's escapes. */
function elementScalar(value: Json): string {
  if (typeof value === 'string' && PLAIN.test(value)) return `"${value}"`
  if (typeof value === 'bigint') return String(value)
  if (typeof value === 'object') return goJson(value)
  const text = JSON.stringify(value)
  return typeof value === 'string' && text.search(ESCAPED) >= 0
    ? text.replaceAll(ESCAPED, char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
    : text
}
