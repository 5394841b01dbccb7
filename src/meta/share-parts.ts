import { hasMembers, ownMember, setMember } from './equal.ts'
import { wholeFloats } from './whole-floats.ts'

/**
 * Returns `next` with the objects, lists and texts that equal those of `like` at the same place replaced by them: equal
 * parts of two objects then take memory once, and are identical for those who compare them. Neither value is changed,
 * and neither may change later. Unlike `deepEqual`, tells an empty list from an absent one. The values must be small,
 * as `hasFewValues` reports; `shareUnchanged` is for larger ones.
 */
export const shareEqual = <T>(like: unknown, next: T): T => shared(like, next) as T

/**
 * `shareEqual` with two objects: a member that equals that of the first is shared with it, and the parts of others with
 * those of the second. The first is an earlier state of `next`, the second another object.
 */
export function shareMembers<T extends object>(old: object | undefined, like: object | undefined, next: T): T {
  const copy = { ...next }
  for (const [name, member] of Object.entries(next)) {
    const before = ownMember(old as Members | undefined, name)
    const isSame = before !== undefined && shareEqual(before, member) === before
    setMember(copy, name, isSame ? before : shareEqual(ownMember(like as Members | undefined, name), member))
  }
  return copy
}

function shared(like: unknown, next: unknown): unknown {
  if (like === next) return like
  if (typeof like !== 'object' || typeof next !== 'object' || like === null || next === null) return next
  if (wholeFloats.get(next) !== undefined || wholeFloats.get(like) !== undefined) return next
  if (Array.isArray(next)) return Array.isArray(like) ? sharedList(like, next) : next
  return hasMembers(like) && hasMembers(next) ? sharedMembers(like, next) : next
}

function sharedList(like: readonly unknown[], next: readonly unknown[]): readonly unknown[] {
  const parts = next.map((part, i) => shared(like[i], part))
  return like.length === parts.length && parts.every((part, i) => part === like[i]) ? like : parts
}

function sharedMembers(like: Members, next: Members): Members {
  let copy: Members | undefined
  let count = 0
  for (const name in next) {
    const isInBoth = Object.hasOwn(like, name)
    const part = isInBoth ? shared(like[name], next[name]) : next[name]
    if (copy === undefined && (!isInBoth || part !== like[name])) copy = copyLike(like, next, count)
    if (copy !== undefined) setMember(copy, name, part)
    count++
  }
  return copy ?? (Object.keys(like).length === count ? like : copyLike(like, next, count))
}

/**
 * Copies an object, of which the first members equal those of another. The copy has its shape, which takes least
 * memory.
 */
function copyLike(like: Members, next: Members, equal: number): Members {
  const copy = { ...next }
  for (const name in next) {
    if (equal-- === 0) break
    setMember(copy, name, like[name])
  }
  return copy
}

type Members = { readonly [name: string]: unknown }
