import type { Json } from './object.ts'

/** Reports whether two JSON values are equal. Unlike in `deepEqual`, null, an absent member and an empty list all differ. */
export function sameJson(a: Json, b: Json): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return sameNumber(a, b)
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false
    for (let i = 0; i < a.length; i++) if (!sameMember(a[i], b[i])) return false
    return true
  }
  if (Array.isArray(b)) return false
  let extra = 0
  for (const key in a) {
    const member = a[key]
    if (member === undefined) continue
    if (!Object.hasOwn(b, key) || !sameMember(member, b[key])) return false
    extra++
  }
  for (const key in b) if (b[key] !== undefined) extra--
  return extra === 0
}

/** Two absent members are equal, and differ from null. */
const sameMember = (a: Json | undefined, b: Json | undefined): boolean => a === b || (a !== undefined && b !== undefined && sameJson(a, b))

// Compares integers across codecs, one of which may produce a number and the other a bigint.
const sameNumber = (a: Json, b: Json): boolean =>
  (typeof a === 'bigint' && typeof b === 'number' && Number.isInteger(b) && a === BigInt(b)) ||
  (typeof b === 'bigint' && typeof a === 'number' && Number.isInteger(a) && b === BigInt(a))
