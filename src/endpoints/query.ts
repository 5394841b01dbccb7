import { quote } from '../lib/go-quote.ts'
import { parseInt64 } from '../lib/integer.ts'
import { badRequestError } from '../meta/status.ts'

/** Query parameters as upstream's codec reads them: the first value counts, and texts of errors are Go's. */
export const stringParameter = (query: URLSearchParams, name: string): string => query.get(name) ?? ''

/** Every value but `false` and `0`, in any case, is true; undefined where the parameter is absent. */
export function booleanParameter(query: URLSearchParams, name: string): boolean | undefined {
  const value = query.get(name)
  if (value === null) return undefined
  const text = value.toLowerCase()
  return text !== 'false' && text !== '0'
}

/** An int64. Throws 400 with Go's text; undefined where the parameter is absent. Values beyond 2^53 are clamped: no limit reaches so far. */
export function integerParameter(query: URLSearchParams, name: string): number | undefined {
  const value = query.get(name)
  if (value === null) return undefined
  if (!/^[+-]?\d+$/.test(value)) throw badRequestError(`strconv.ParseInt: parsing ${quote(value)}: invalid syntax`)
  const exact = parseInt64(value)
  if (exact === undefined) throw badRequestError(`strconv.ParseInt: parsing ${quote(value)}: value out of range`)
  return Number(exact)
}
