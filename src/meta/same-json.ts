import type { Json } from './object.ts'

/** Equality of two JSON values. Null, an absent member and an empty list are three different things here, unlike in `deepEqual`. */
export function sameJson(a: Json, b: Json): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return sameNumber(a, b)
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false
    for (let i = 0; i < a.length; i++) if (!sameJson(a[i] as Json, b[i] as Json)) return false
    return true
  }
  if (Array.isArray(b)) return false
  let extra = 0
  for (const key in a) {
    if (a[key] === undefined) continue
    if (!Object.hasOwn(b, key) || b[key] === undefined || !sameJson(a[key] as Json, b[key] as Json)) return false
    extra++
  }
  for (const key in b) if (b[key] !== undefined) extra--
  return extra === 0
}

// An integer may come as a number or, from another codec, as a bigint.
const sameNumber = (a: Json, b: Json): boolean =>
  (typeof a === 'bigint' && typeof b === 'number' && Number.isInteger(b) && a === BigInt(b)) ||
  (typeof b === 'bigint' && typeof a === 'number' && Number.isInteger(a) && b === BigInt(a))
