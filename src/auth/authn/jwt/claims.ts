import type { Json, JsonObject } from '../../../meta/object.ts'

/** The claims of a token, whose signature is good or not. */
export type Claims = JsonObject

const KINDS = { string: 'string', number: 'number', boolean: 'bool', object: 'object' } as const

/** In the words of Go's encoding/json. */
const mismatch = (value: Json, type: string): Error => {
  const kind = Array.isArray(value) ? 'array' : KINDS[typeof value as keyof typeof KINDS]
  return new Error(`json: cannot unmarshal ${kind} into Go value of type ${type}`)
}

/** As Go decodes it: null is the empty string. Throws for anything else. */
export function stringOf(value: Json): string {
  if (value === null) return ''
  if (typeof value !== 'string') throw mismatch(value, 'string')
  return value
}

/** Null is false. Throws for anything else. */
export function booleanOf(value: Json): boolean {
  if (value === null) return false
  if (typeof value !== 'boolean') throw mismatch(value, 'bool')
  return value
}

/** One string or a list of them. */
export function stringsOf(value: Json): string[] {
  if (Array.isArray(value) && value.every(item => item === null || typeof item === 'string')) return value.map(stringOf)
  return value === null ? [] : [stringOf(value)]
}

/** As JSON writes them: `Infinity` and `0x7fffffff` are none. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
/** The first that is no int64. */
const TOO_LARGE = 2 ** 63

/** Seconds since the epoch: a number, or a string with one. A time that never comes is an error: a token would be good for ever. */
export function secondsOf(value: Json): number {
  const number = typeof value === 'string' && NUMBER.test(value) ? Number(value) : value
  if (number === null) throw new Error('strconv.ParseFloat: parsing "": invalid syntax')
  if (typeof number !== 'number') throw mismatch(value, 'json.Number')
  if (!(Math.abs(number) < TOO_LARGE)) throw new Error(`strconv.ParseFloat: parsing ${JSON.stringify(String(value))}: value out of range`)
  return Math.trunc(number)
}

/** A member of the claims themselves. */
export const claimOf = (claims: Claims, name: string): Json | undefined => (Object.hasOwn(claims, name) ? claims[name] : undefined)

/** A member that has to be there, as `read` has it. Throws an Error in upstream's words. */
export function readClaim<T>(claims: Claims, name: string, read: (value: Json) => T): T {
  const value = claimOf(claims, name)
  if (value === undefined) throw new Error('claim not present')
  return read(value)
}
