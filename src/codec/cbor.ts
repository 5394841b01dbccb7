import type { Json } from '../api/meta/object.ts'
import { runAtOnce, type Steps } from '../lib/steps.ts'
import { parseApiVersion } from '../meta/gvk.ts'
import { type ParsedCbor, parseCborInSteps, STORED_LIMITS } from './cbor-decode.ts'
import { arrayHead, cborMap, encodeCborValue, SELF_DESCRIBED } from './cbor-encode.ts'
import { CborError } from './cbor-error.ts'

export type { ParsedCbor } from './cbor-decode.ts'
export { parseCbor, parseCborInSteps } from './cbor-decode.ts'
export { encodeCbor, encodeCborValue } from './cbor-encode.ts'
export { encodeCborInSteps } from './cbor-encode-in-steps.ts'
export { CborError } from './cbor-error.ts'

/** Names of JSON types in the errors of fxamacker/cbor. */
const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'byte string',
  number: 'positive integer',
  bool: 'primitives',
  object: 'map',
  array: 'array',
}

/** Translates an error of the JSON decoder into the wording of this media type. */
export function asCborText(message: string): string {
  if (message.startsWith('illegal base64')) return `cbor: failed to decode base64 from byte string: ${message}`
  const number = /^json: cannot unmarshal number (\S+) (into .* of type (\S+))$/.exec(message)
  if (number) {
    const [, digits = '', rest, type] = number
    if (/[.eE]/.test(digits)) return `cbor: cannot unmarshal primitives ${rest}`
    return `cbor: cannot unmarshal ${digits.startsWith('-') ? 'negative' : 'positive'} integer ${rest} (${digits} overflows ${type})`
  }
  return message.replace(
    /^json: cannot unmarshal (string|number|bool|object|array)\b/,
    (_, type: string) => `cbor: cannot unmarshal ${TYPE_NAMES[type]}`,
  )
}

/** Returns the kind and apiVersion of a body; both are empty if unset. Throws CborError. */
export function typeOfCbor({ value, fault }: ParsedCbor): { apiVersion: string; kind: string } {
  const wrong = (what: string): CborError => new CborError(`unable to determine group/version/kind: ${what}`)
  if (fault?.shallow) throw wrong(fault.text)
  const claimed = { apiVersion: '', kind: '' }
  if (value === null) return claimed
  if (typeof value !== 'object' || Array.isArray(value))
    throw wrong(`cbor: cannot unmarshal ${cborTypeName(value)} into Go value of type v1.TypeMeta`)
  for (const name of ['kind', 'apiVersion'] as const) {
    const member = value[name]
    if (member === undefined || member === null) continue
    if (typeof member !== 'string')
      throw wrong(`cbor: cannot unmarshal ${cborTypeName(member)} into Go struct field v1.TypeMeta.${name} of type string`)
    claimed[name] = member
  }
  // Like upstream, treats an apiVersion that cannot be parsed as absent.
  if (!parseApiVersion(claimed.apiVersion)) claimed.apiVersion = ''
  return claimed
}

function cborTypeName(value: Json): string {
  if (typeof value === 'number' || typeof value === 'bigint')
    return Number.isInteger(Number(value)) ? (value < 0 ? 'negative integer' : 'positive integer') : 'primitives'
  if (typeof value === 'boolean' || value === null) return 'primitives'
  return typeof value === 'string' ? 'byte string' : Array.isArray(value) ? 'array' : 'map'
}

/**
 * Reports whether bytes begin with the self-described tag, as every body and every stored value of this media type
 * does.
 */
export const isCbor = (bytes: Buffer): boolean => SELF_DESCRIBED.equals(bytes.subarray(0, SELF_DESCRIBED.length))

/** Parses a stored value into the JSON data model. Throws CborError. */
export const parseStoredCbor = (bytes: Buffer): Json => runAtOnce(parseStoredCborInSteps(bytes))

/** `parseStoredCbor` in steps. */
export function* parseStoredCborInSteps(bytes: Buffer): Steps<Json> {
  const { value, fault } = yield* parseCborInSteps(bytes, STORED_LIMITS)
  if (fault) throw new CborError(fault.text)
  return value
}

/** Makes an item a body by prepending the self-described tag. */
export const cborBody = (item: Buffer): Buffer => Buffer.concat([SELF_DESCRIBED, item])

/** Encodes a list in segments from its encoded metadata and items, which are not decoded or copied. */
export function cborList(
  type: { readonly kind: string; readonly apiVersion: string },
  metadata: Buffer,
  items: readonly Buffer[],
): Buffer[] {
  return [
    SELF_DESCRIBED,
    ...cborMap({
      kind: [encodeCborValue(type.kind)],
      apiVersion: [encodeCborValue(type.apiVersion)],
      metadata: [metadata],
      items: [arrayHead(items.length), ...items],
    }),
  ]
}

/** Encodes a watch event as one item of a CBOR sequence (RFC 8742). `object` is a body. */
export const cborFrame = (type: string, object: Buffer): Buffer =>
  Buffer.concat([SELF_DESCRIBED, ...cborMap({ type: [encodeCborValue(type)], object: [object] })])
