import { deepEqual, hasMembers } from './equal.ts'
import type { Json } from './object.ts'

/**
 * Optional members that were given as an empty list, map or text of bytes, by the object in which they are absent: what is written leaves them out, but Go holds them as empty and not as
 * nil until then, and some rules, comparisons and messages distinguish the two. Only the decoded object itself is marked, and copies that `copyGivenEmpty` was asked to mark.
 */
const given = new WeakMap<object, Map<string, Json>>()

/** Marks an absent member as given with this value, which is shared and empty. */
export function setGivenEmpty(owner: object, name: string, empty: Json): void {
  const known = given.get(owner)
  if (known) known.set(name, empty)
  else given.set(owner, new Map([[name, empty]]))
}

/** Whether a member was given, and empty. */
export const isGivenEmpty = (owner: object, name: string): boolean => givenEmpty(owner, name) !== undefined

/** Forgets that a member was given. */
export const forgetGivenEmpty = (owner: object, name: string): void => {
  given.get(owner)?.delete(name)
}

/** The names of the members of an object itself that were given empty. */
export const givenEmptyNames = (owner: object): string[] => [...(given.get(owner)?.keys() ?? [])].filter(name => isGivenEmpty(owner, name))

/** The empty value that a member was given with, which is absent; undefined: it was not given, or has been set since. */
export function givenEmpty(owner: object, name: string): Json | undefined {
  const empty = given.get(owner)?.get(name)
  return empty !== undefined && hasMembers(owner) && owner[name] === undefined ? empty : undefined
}

/** A member, or the empty value that it was given with. */
export const asGiven = <T extends object, K extends string & keyof T>(owner: T, name: K): T[K] | Json | undefined => owner[name] ?? givenEmpty(owner, name)

/** Whether any member of a value was given empty, at any depth. */
export function hasGivenEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasGivenEmpty)
  if (!hasMembers(value)) return false
  for (const name of given.get(value)?.keys() ?? []) if (isGivenEmpty(value, name)) return true
  for (const name in value) if (hasGivenEmpty(value[name])) return true
  return false
}

/** Whether any member of an object in a list was given empty, at any depth: lists are compared exactly where objects are not. */
export function hasGivenEmptyInList(value: unknown): boolean {
  if (Array.isArray(value)) return hasGivenEmpty(value)
  if (!hasMembers(value)) return false
  for (const name in value) if (hasGivenEmptyInList(value[name])) return true
  return false
}

/** Equality to Go's reflect.DeepEqual, to which nil is not empty, of what has been decoded now to what has been stored, where nothing is empty. */
export const isExactly = (next: unknown, stored: unknown): boolean => deepEqual(next, stored) && !hasGivenEmpty(next)

/** The same of a member of both. */
export const isMemberExactly = <T extends object, K extends string & keyof T>(next: T, stored: T, name: K): boolean =>
  !isGivenEmpty(next, name) && isExactly(next[name], stored[name])

/** Gives a shallow copy the marks of the original. */
export function copyGivenEmpty<T extends object>(from: object, to: T): T {
  const known = given.get(from)
  if (known) given.set(to, new Map(known))
  return to
}
