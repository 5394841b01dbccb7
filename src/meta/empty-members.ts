import type { Json } from '../api/meta/object.ts'
import { isStepDone, type Steps } from '../lib/steps.ts'
import { memberNames } from '../lib/wide-objects.ts'
import { deepEqual, deepEqualBySize, hasMembers } from './equal.ts'
import { hasFewValues } from './few-values.ts'

/**
 * Optional members that were decoded as an empty list, map or byte string, by the object that omits them. They are
 * omitted when written, but until then Go holds them as empty and not as nil, which some rules, comparisons and
 * messages distinguish. Only the decoded object is marked, and copies made with `copyGivenEmpty`.
 */
const given = new WeakMap<object, Map<string, Json>>()

/** Marks an absent member as given with this empty value, which is shared. */
export function setGivenEmpty(owner: object, name: string, empty: Json): void {
  const known = given.get(owner)
  if (known) known.set(name, empty)
  else given.set(owner, new Map([[name, empty]]))
}

/** Reports whether a member was given as empty. */
export const isGivenEmpty = (owner: object, name: string): boolean => givenEmpty(owner, name) !== undefined

/** Removes the mark of a member. */
export const forgetGivenEmpty = (owner: object, name: string): void => {
  given.get(owner)?.delete(name)
}

/** Returns the names of the members of an object that were given as empty. */
export const givenEmptyNames = (owner: object): string[] => [...(given.get(owner)?.keys() ?? [])].filter(name => isGivenEmpty(owner, name))

/** Returns the empty value of a member, or undefined if it was not given or has been set since. */
export function givenEmpty(owner: object, name: string): Json | undefined {
  const empty = given.get(owner)?.get(name)
  return empty !== undefined && hasMembers(owner) && owner[name] === undefined ? empty : undefined
}

/** Returns a member, or the empty value that was given for it. */
export const asGiven = <T extends object, K extends string & keyof T>(owner: T, name: K): T[K] | Json | undefined =>
  owner[name] ?? givenEmpty(owner, name)

/** Reports whether any member was given as empty, at any depth. */
export function hasGivenEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasGivenEmpty)
  if (!hasMembers(value)) return false
  for (const name of given.get(value)?.keys() ?? []) if (isGivenEmpty(value, name)) return true
  for (const name in value) if (hasGivenEmpty(value[name])) return true
  return false
}

/** `hasGivenEmpty` in steps, for values that may be large. */
function* hasGivenEmptyInSteps(value: unknown): Steps<boolean> {
  if (hasFewValues(value)) return hasGivenEmpty(value)
  const left = [value]
  for (let each = left.pop(); each !== undefined; each = left.pop()) {
    if (isStepDone()) yield
    if (Array.isArray(each)) {
      for (const item of each) if (typeof item === 'object') left.push(item)
    } else if (hasMembers(each)) {
      for (const name of given.get(each)?.keys() ?? []) if (isGivenEmpty(each, name)) return true
      for (const name of yield* memberNames(each)) if (typeof each[name] === 'object') left.push(each[name])
    }
  }
  return false
}

/**
 * Reports whether any member of an object in a list was given as empty, at any depth. Lists are compared exactly where
 * objects are not.
 */
export function hasGivenEmptyInList(value: unknown): boolean {
  if (Array.isArray(value)) return hasGivenEmpty(value)
  if (!hasMembers(value)) return false
  for (const name in value) if (hasGivenEmptyInList(value[name])) return true
  return false
}

/** `hasGivenEmptyInList` in steps, for values that may be large. */
export function* hasGivenEmptyInListInSteps(value: unknown): Steps<boolean> {
  const lists: unknown[] = []
  const left = [value]
  for (let each = left.pop(); each !== undefined; each = left.pop()) {
    if (isStepDone()) yield
    if (Array.isArray(each)) lists.push(each)
    else if (hasMembers(each)) for (const name of yield* memberNames(each)) if (typeof each[name] === 'object') left.push(each[name])
  }
  return yield* hasGivenEmptyInSteps(lists)
}

/**
 * Compares a decoded value with a stored one like Go's reflect.DeepEqual, to which nil and empty differ. Nothing in the
 * stored value is empty. Takes steps if the values are large.
 */
export function* isExactlyInSteps(next: unknown, stored: unknown): Steps<boolean> {
  return (yield* deepEqualBySize(next, stored)) && !(yield* hasGivenEmptyInSteps(next))
}

/** Compares a member of both in the same way, at once. */
export const isMemberExactly = <T extends object, K extends string & keyof T>(next: T, stored: T, name: K): boolean =>
  !isGivenEmpty(next, name) && deepEqual(next[name], stored[name]) && !hasGivenEmpty(next[name])

/** Copies the marks of the original to a shallow copy. */
export function copyGivenEmpty<T extends object>(from: object, to: T): T {
  const known = given.get(from)
  if (known) given.set(to, new Map(known))
  return to
}
