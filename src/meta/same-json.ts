import { isStepDone, type Steps } from '../lib/steps.ts'
import type { Json, JsonObject } from './object.ts'

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

/** The same in steps, for values that may be large. A stack instead of recursion, for a generator of each small object would cost more than its comparison. */
export function* sameJsonInSteps(a: Json, b: Json): Steps<boolean> {
  const lefts = [a]
  const rights = [b]
  const isSame = (left: Json | undefined, right: Json | undefined): boolean => {
    if (left === right) return true
    if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return sameMember(left, right)
    lefts.push(left)
    rights.push(right)
    return true
  }
  for (let left = lefts.pop(), right = rights.pop(); left !== undefined && right !== undefined; left = lefts.pop(), right = rights.pop()) {
    if (isList(left) && isList(right)) {
      if (left.length !== right.length) return false
      for (let i = 0; i < left.length; i++) {
        if (isStepDone()) yield
        if (!isSame(left[i], right[i])) return false
      }
    } else if (isObject(left) && isObject(right)) {
      let extra = 0
      for (const key in left) {
        if (isStepDone()) yield
        const member = left[key]
        if (member === undefined) continue
        if (!Object.hasOwn(right, key) || !isSame(member, right[key])) return false
        extra++
      }
      for (const key in right) {
        if (isStepDone()) yield
        if (right[key] !== undefined) extra--
      }
      if (extra !== 0) return false
    } else if (!sameJson(left, right)) return false
  }
  return true
}

const isList = (value: Json): value is Json[] => Array.isArray(value)
const isObject = (value: Json): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Two absent members are equal, and differ from null. */
const sameMember = (a: Json | undefined, b: Json | undefined): boolean => a === b || (a !== undefined && b !== undefined && sameJson(a, b))

// Compares integers across codecs, one of which may produce a number and the other a bigint.
const sameNumber = (a: Json, b: Json): boolean =>
  (typeof a === 'bigint' && typeof b === 'number' && Number.isInteger(b) && a === BigInt(b)) ||
  (typeof b === 'bigint' && typeof a === 'number' && Number.isInteger(a) && b === BigInt(a))
