import { isJsonObject, type Json, type JsonObject } from '../../api/meta/object.ts'
import { deepEqual, ownMember, setMember } from '../../meta/equal.ts'

/**
 * Applies the differences between `before` and `after` to a value. `before` may lack members of the value and have
 * another notation: members that it lacks, and those that do not change, are kept in their order.
 */
export function patched(value: Json, before: Json | undefined, after: Json): Json {
  if (before !== undefined && deepEqual(before, after)) return value
  if (isJsonObject(value) && isJsonObject(before) && isJsonObject(after)) return patchedObject(value, before, after)
  if (
    Array.isArray(value) &&
    Array.isArray(before) &&
    Array.isArray(after) &&
    value.length === before.length &&
    before.length === after.length
  )
    return value.map((item, i) => patched(item, before[i], after[i] ?? null))
  return after
}

/** New members come in place of the first removed one, otherwise last. A renamed member keeps its place. */
function patchedObject(value: JsonObject, before: JsonObject, after: JsonObject): JsonObject {
  const { removed, added, renamed } = keyChanges(value, before, after)
  const out: JsonObject = {}
  const addAll = (): void => {
    for (const key of added.splice(0)) setMember(out, key, after[key])
  }
  for (const [key, member] of Object.entries(value)) {
    const name = renamed.get(key) ?? key
    if (removed.includes(key)) addAll()
    else if (Object.hasOwn(before, key) && Object.hasOwn(after, name))
      setMember(out, name, patched(member, ownMember(before, key), after[name] ?? null))
    else if (Object.hasOwn(after, key)) setMember(out, key, after[key])
    else setMember(out, key, member)
  }
  addAll()
  return out
}

/** Changes of an object's members. */
export interface KeyChanges {
  readonly removed: string[]
  readonly added: string[]
  /** Renamed members, from old to new key. The value may change as well. */
  readonly renamed: ReadonlyMap<string, string>
}

/**
 * Returns the keys to remove from a value and those to add. A member that `before` and `after` share but the value
 * lacks is implied, and not added.
 */
export function keyChanges(value: JsonObject, before: JsonObject, after: JsonObject): KeyChanges {
  const isNew = (key: string): boolean => !Object.hasOwn(value, key) && !(Object.hasOwn(before, key) && deepEqual(before[key], after[key]))
  const removed = Object.keys(value).filter(key => Object.hasOwn(before, key) && !Object.hasOwn(after, key))
  const added = Object.keys(after).filter(isNew)
  const renamed = new Map<string, string>()
  for (const key of removed) {
    const isOnly = removed.length === 1 && added.length === 1 && isJsonObject(before[key])
    const name = added.find(
      each => ![...renamed.values()].includes(each) && (deepEqual(before[key], after[each]) || (isOnly && isJsonObject(after[each]))),
    )
    if (name !== undefined) renamed.set(key, name)
  }
  const names = new Set(renamed.values())
  return { removed: removed.filter(key => !renamed.has(key)), added: added.filter(key => !names.has(key)), renamed }
}
