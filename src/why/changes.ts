import { isJsonObject, type Json } from '../api/meta/object.ts'
import { clone, deepEqual } from '../meta/equal.ts'
import type { WhyChange, WhyChanges } from '../meta/why.ts'

/**
 * Maximum number of values in an object that is compared. A Pod has fewer. The objects are compared for each admission
 * plugin.
 */
const MOST_VALUES = 4000
/** Maximum nesting. It bounds the recursion of the comparison. */
const DEEPEST = 64
/** Maximum number of recorded changes. A plugin makes fewer. */
const MOST_CHANGES = 100

/** Managed fields change with every write. They are visible in the object itself. */
const MANAGED_FIELDS = '/metadata/managedFields'

/** Returns a copy of a value. Undefined if it has too many values. */
export const cloneSmall = (value: Json | undefined): Json | undefined => (value === undefined || !isSmall(value) ? undefined : clone(value))

/** Returns the changes between two values. `kept`: undefined if it was too large. */
export function valueChanges(kept: Json | undefined, now: Json | undefined): WhyChanges {
  if (kept === undefined || now === undefined || !isSmall(now)) return 'too large'
  const changes: WhyChange[] = []
  collectChanges(kept, now, '', changes)
  return changes
}

/** Reports whether a value is small enough to be compared. */
export function isSmall(value: Json): boolean {
  let left = MOST_VALUES
  const count = (one: Json, depth: number): boolean => {
    if (--left < 0 || depth > DEEPEST) return false
    if (Array.isArray(one)) return one.every(item => count(item, depth + 1))
    if (!isJsonObject(one)) return true
    for (const name in one) {
      const member: Json | undefined = one[name]
      if (member !== undefined && !count(member, depth + 1)) return false
    }
    return true
  }
  return count(value, 0)
}

/** Appends the changes of a value at a path. Stops at MOST_CHANGES. */
function collectChanges(before: Json, after: Json, path: string, changes: WhyChange[]): void {
  if (changes.length >= MOST_CHANGES || path === MANAGED_FIELDS || before === after) return
  if (Array.isArray(before) && Array.isArray(after)) compareLists(before, after, path, changes)
  else if (isJsonObject(before) && isJsonObject(after))
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)]))
      compareMember(before[name], after[name], `${path}/${escapePointer(name)}`, changes)
  else if (!deepEqual(before, after)) changes.push({ op: 'replace', path, value: after })
}

/** Appends the change of a member that may be absent on either side. */
function compareMember(before: Json | undefined, after: Json | undefined, path: string, changes: WhyChange[]): void {
  if (before !== undefined && after !== undefined) collectChanges(before, after, path, changes)
  else if (path !== MANAGED_FIELDS && changes.length < MOST_CHANGES) {
    if (after !== undefined) changes.push({ op: 'add', path, value: after })
    else if (before !== undefined) changes.push({ op: 'remove', path })
  }
}

/** Skips equal items at both ends. Of the rest, items at the same index are compared. */
function compareLists(before: readonly Json[], after: readonly Json[], path: string, changes: WhyChange[]): void {
  const shorter = Math.min(before.length, after.length)
  let start = 0
  while (start < shorter && deepEqual(before[start], after[start])) start++
  let end = 0
  while (end < shorter - start && deepEqual(before[before.length - 1 - end], after[after.length - 1 - end])) end++
  const [removed, added] = [before.length - start - end, after.length - start - end]
  const both = Math.min(removed, added)
  for (let i = start; i < start + both; i++) compareMember(before[i], after[i], `${path}/${i}`, changes)
  for (let i = before.length - end - 1; i >= start + both && removed > added; i--)
    compareMember(before[i], undefined, `${path}/${i}`, changes)
  for (let i = start + both; i < after.length - end && added > removed; i++) compareMember(undefined, after[i], `${path}/${i}`, changes)
}

/** Escapes a member name as a reference token (RFC 6901, section 3). */
const escapePointer = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')
