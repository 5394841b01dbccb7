import type { Json, JsonObject } from '../../../api/meta/object.ts'

/** Claims of a token, whether or not its signature was verified. */
export type Claims = JsonObject

const KINDS = { string: 'string', number: 'number', boolean: 'bool', object: 'object' } as const

/** Error for a value of the wrong type, as Go's encoding/json formats it. */
const mismatch = (value: Json, type: string): Error => {
  const kind = Array.isArray(value) ? 'array' : KINDS[typeof value as keyof typeof KINDS]
  return new Error(`json: cannot unmarshal ${kind} into Go value of type ${type}`)
}

/** Decodes a string as Go does: null becomes empty. Throws for other types. */
export function stringOf(value: Json): string {
  if (value === null) return ''
  if (typeof value !== 'string') throw mismatch(value, 'string')
  return value
}

/** Decodes a boolean. Null becomes false. Throws for other types. */
export function booleanOf(value: Json): boolean {
  if (value === null) return false
  if (typeof value !== 'boolean') throw mismatch(value, 'bool')
  return value
}

/** Decodes a string or a list of strings. */
export function stringsOf(value: Json): string[] {
  if (Array.isArray(value) && value.every(item => item === null || typeof item === 'string')) return value.map(stringOf)
  return value === null ? [] : [stringOf(value)]
}

/** JSON number syntax. Excludes `Infinity` and `0x7fffffff`. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
/** Smallest positive number that exceeds int64. */
const TOO_LARGE = 2 ** 63

/**
 * Decodes seconds since the epoch, from a number or a numeric string. Throws if the value is out of range, which would
 * make a token valid forever.
 */
export function secondsOf(value: Json): number {
  const number = typeof value === 'string' && NUMBER.test(value) ? Number(value) : value
  if (number === null) throw new Error('strconv.ParseFloat: parsing "": invalid syntax')
  if (typeof number !== 'number') throw mismatch(value, 'json.Number')
  if (!(Math.abs(number) < TOO_LARGE)) throw new Error(`strconv.ParseFloat: parsing ${JSON.stringify(String(value))}: value out of range`)
  return Math.trunc(number)
}

/** Returns an own member of the claims. */
export const claimOf = (claims: Claims, name: string): Json | undefined => (Object.hasOwn(claims, name) ? claims[name] : undefined)

/** Decodes a required claim with `read`. Throws an Error with upstream's message. */
export function readClaim<T>(claims: Claims, name: string, read: (value: Json) => T): T {
  const value = claimOf(claims, name)
  if (value === undefined) throw new Error('claim not present')
  return read(value)
}
