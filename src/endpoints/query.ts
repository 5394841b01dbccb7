import { quote } from '../lib/go-quote.ts'
import { parseInt64 } from '../lib/integer.ts'
import { badRequestError } from '../meta/status.ts'

/** Returns a query parameter. As in upstream's codec, the first value counts, and errors have Go's texts. */
export const stringParameter = (query: URLSearchParams, name: string): string => query.get(name) ?? ''

/** Parses a boolean: every value but `false` and `0`, in any case, is true. Undefined if the parameter is absent. */
export function booleanParameter(query: URLSearchParams, name: string): boolean | undefined {
  const value = query.get(name)
  if (value === null) return undefined
  const text = value.toLowerCase()
  return text !== 'false' && text !== '0'
}

/**
 * Parses an int64. Undefined if the parameter is absent. Throws 400 with Go's text. Values beyond 2^53 lose precision,
 * which no limit reaches.
 */
export function integerParameter(query: URLSearchParams, name: string): number | undefined {
  const value = query.get(name)
  if (value === null) return undefined
  if (!/^[+-]?\d+$/.test(value)) throw badRequestError(`strconv.ParseInt: parsing ${quote(value)}: invalid syntax`)
  const exact = parseInt64(value)
  if (exact === undefined) throw badRequestError(`strconv.ParseInt: parsing ${quote(value)}: value out of range`)
  return Number(exact)
}
