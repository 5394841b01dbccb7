import { isStepDone, type Steps } from '../lib/steps.ts'
import { isWide, MANY_MEMBERS, memberNames } from '../lib/wide-objects.ts'

/** Number of members and elements that a comparison may still visit. */
export interface Walk {
  left: number
}

export const UNBOUNDED: Walk = { left: Number.POSITIVE_INFINITY }
/** Members and elements of values that are compared in one call. */
export const SMALL = 512

/**
 * Compares two JSON values like the Go objects they stand for: an absent member, null and an empty list are equal. An
 * empty object differs from them, since it may be a pointer to a struct.
 */
export const deepEqual = (a: unknown, b: unknown): boolean => !isKnownToDiffer(a, b) && isEqual(a, b, UNBOUNDED)

const differences = new WeakMap<object, WeakSet<object>>()
let hasDifferences = false

/** Notes that two objects differ, for later calls of `deepEqual`. They must not change any more. */
export function noteDifference(a: object, b: object): void {
  hasDifferences = true
  const known = differences.get(a)
  if (known) known.add(b)
  else differences.set(a, new WeakSet([b]))
}

function isKnownToDiffer(a: unknown, b: unknown): boolean {
  if (!hasDifferences || !hasMembers(a) || !hasMembers(b)) return false
  return differences.get(a)?.has(b) === true || differences.get(b)?.has(a) === true
}

/**
 * `deepEqual` of small values. Undefined if they have more than 512 members and elements: `deepEqualInSteps` then
 * compares them.
 */
export function deepEqualIfSmall(a: unknown, b: unknown): boolean | undefined {
  const walk = { left: SMALL }
  const isSame = isEqual(a, b, walk)
  return walk.left < 0 ? undefined : isSame
}

/** Compares up to `left` members and elements, and returns false if there are more. */
function isEqual(a: unknown, b: unknown, walk: Walk): boolean {
  if (a === b) return true
  if (isNil(a) || isNil(b)) return isNil(a) && isNil(b)
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false
    for (let i = 0; i < a.length; i++) if (--walk.left < 0 || !isEqual(a[i], b[i], walk)) return false
    return true
  }
  return hasMembers(a) && hasMembers(b) ? sameMembers(a, b, walk) : sameNumber(a, b)
}

function sameMembers(a: ObjectMembers, b: ObjectMembers, walk: Walk): boolean {
  if (walk.left < MANY_MEMBERS && (isWide(a) || isWide(b))) {
    walk.left = -1
    return false
  }
  for (const key in a) if (--walk.left < 0 || !isEqual(a[key], Object.hasOwn(b, key) ? b[key] : undefined, walk)) return false
  for (const key in b) if (!Object.hasOwn(a, key) && !isNil(b[key])) return false
  return true
}

/** `deepEqual` in steps, for values that may be large. */
export const deepEqualInSteps = (a: unknown, b: unknown): Steps<boolean> => equalInSteps(a, b, deepEqual, isNil)

/** `deepEqual` of values that are mostly small: at once if they are, otherwise in steps. */
export function* deepEqualBySize(a: unknown, b: unknown): Steps<boolean> {
  return deepEqualIfSmall(a, b) ?? (yield* deepEqualInSteps(a, b))
}

/**
 * Compares two values in steps. `isSameLeaf` compares values of which one is neither a list nor an object, or that are
 * a list and an object. `isAbsent`: whether a member equals an absent one. Uses a stack instead of recursion, because a
 * generator of each small object would cost more than its comparison.
 */
export function* equalInSteps(
  a: unknown,
  b: unknown,
  isSameLeaf: (a: unknown, b: unknown) => boolean,
  isAbsent: (value: unknown) => boolean,
): Steps<boolean> {
  const lefts = [a]
  const rights = [b]
  const isSame = (left: unknown, right: unknown): boolean => {
    if (left === right) return true
    if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return isSameLeaf(left, right)
    lefts.push(left)
    rights.push(right)
    return true
  }
  while (lefts.length > 0) {
    const left = lefts.pop()
    const right = rights.pop()
    if (Array.isArray(left) && Array.isArray(right)) {
      if (left.length !== right.length) return false
      for (let i = 0; i < left.length; i++) {
        if (isStepDone()) yield
        if (!isSame(left[i], right[i])) return false
      }
    } else if (hasMembers(left) && hasMembers(right)) {
      for (const key of yield* memberNames(left)) {
        if (isStepDone()) yield
        if (!isSame(left[key], Object.hasOwn(right, key) ? right[key] : undefined)) return false
      }
      for (const key of yield* memberNames(right)) {
        if (isStepDone()) yield
        if (!Object.hasOwn(left, key) && !isAbsent(right[key])) return false
      }
    } else if (!isSameLeaf(left, right)) return false
  }
  return true
}

export type ObjectMembers = { readonly [name: string]: unknown }

/** Reports whether a value is an object other than an array. */
export const hasMembers = (value: unknown): value is ObjectMembers => typeof value === 'object' && value !== null && !Array.isArray(value)

const isNil = (value: unknown): boolean => value === undefined || value === null || (Array.isArray(value) && value.length === 0)

/** Compares integers across codecs, one of which may produce a number and the other a bigint. */
export const sameNumber = (a: unknown, b: unknown): boolean => {
  if (typeof a === 'bigint') return typeof b === 'number' && Number.isInteger(b) && a === BigInt(b)
  return typeof b === 'bigint' && typeof a === 'number' && Number.isInteger(a) && b === BigInt(a)
}

/**
 * Returns a deep copy of plain data, with its type. Undefined members are omitted. A member `__proto__` is copied as
 * data.
 */
export const clone = <T>(value: T): T => copyOf(value) as T

/** Recursive: for values whose depth has been limited when they were decoded. */
function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) {
    const copy = new Array<unknown>(value.length)
    for (let i = 0; i < value.length; i++) {
      const item: unknown = value[i]
      copy[i] = typeof item === 'object' && item !== null ? copyOf(item) : item
    }
    return copy
  }
  if (!hasMembers(value)) return value
  const copy: Record<string, unknown> = {}
  for (const key in value) {
    const member = value[key]
    if (member === undefined) continue
    const copied = typeof member === 'object' && member !== null ? copyOf(member) : member
    if (key === '__proto__') setMember(copy, key, copied)
    else copy[key] = copied
  }
  return copy
}

/** Sets a member with an untrusted name. `__proto__` becomes data and never changes the prototype. */
export function setMember(object: object, key: string, value: unknown): void {
  if (key === '__proto__') Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
  else (object as Record<string, unknown>)[key] = value
}

/** Returns a property of a value of any type. Undefined if the value is not an object. */
export const propertyOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined

/** Returns an own member, ignoring members of the prototype such as `constructor`. */
export const ownMember = <T>(object: Readonly<Record<string, T>> | undefined, key: string): T | undefined =>
  object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined
