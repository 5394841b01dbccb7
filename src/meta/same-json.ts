import type { Json } from '../api/meta/object.ts'
import type { Steps } from '../lib/steps.ts'
import { isWide, MANY_MEMBERS } from '../lib/wide-objects.ts'
import { equalInSteps, hasMembers, SMALL, sameNumber, UNBOUNDED, type Walk } from './equal.ts'

/**
 * Reports whether two JSON values are equal. Unlike in `deepEqual`, null, an absent member and an empty list all
 * differ.
 */
export const sameJson = (a: Json, b: Json): boolean => isSame(a, b, UNBOUNDED)

/**
 * `sameJson` of small values. Undefined if they have more than 512 members and elements: `sameJsonInSteps` then
 * compares them.
 */
export function sameJsonIfSmall(a: Json, b: Json): boolean | undefined {
  const walk = { left: SMALL }
  const isEqual = isSame(a, b, walk)
  return walk.left < 0 ? undefined : isEqual
}

/** `sameJson` in steps, for values that may be large. */
export const sameJsonInSteps = (a: Json, b: Json): Steps<boolean> => equalInSteps(a, b, (x, y) => isSame(x, y, { left: 0 }), isUndefined)

/**
 * Two absent members are equal, and differ from null. Compares up to `left` members and elements, and returns false if
 * there are more.
 */
function isSame(a: unknown, b: unknown, walk: Walk): boolean {
  if (a === b) return true
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false
    for (let i = 0; i < a.length; i++) if (--walk.left < 0 || !isSame(a[i], b[i], walk)) return false
    return true
  }
  if (Array.isArray(b)) return false
  if (!hasMembers(a) || !hasMembers(b)) return sameNumber(a, b)
  if (walk.left < MANY_MEMBERS && (isWide(a) || isWide(b))) {
    walk.left = -1
    return false
  }
  let extra = 0
  for (const key in a) {
    const member = a[key]
    if (member === undefined) continue
    if (--walk.left < 0 || !Object.hasOwn(b, key) || !isSame(member, b[key], walk)) return false
    extra++
  }
  for (const key in b) if (b[key] !== undefined) extra--
  return extra === 0
}

const isUndefined = (value: unknown): boolean => value === undefined
