import { isStepDone, type Steps } from '../lib/steps.ts'
import { isWide, memberNames, noteCopy } from '../lib/wide-objects.ts'
import { deepEqualIfSmall, hasMembers, noteDifference, SMALL, setMember } from './equal.ts'
import { hasFewValues } from './few-values.ts'
import { copyWholeFloats } from './whole-floats.ts'

/**
 * Returns `next` with its parts that equal those of `old` replaced by them, in steps. Readers that then compare old and
 * new parts find most of them identical, which takes no time: an object that many readers follow is compared once, not
 * by each in one call. Wide objects of which a text differs are noted, so that `deepEqual` need not compare them again.
 * Both values are left as they are, and must not change later. Parts of up to 512 values are shared as a whole or not
 * at all.
 */
export function* shareUnchanged<T>(old: unknown, next: T): Steps<T> {
  if (typeof old !== 'object' || old === null) return next
  if (hasFewValues(next, SMALL)) return deepEqualIfSmall(old, next) === true ? (old as T) : next
  if (Array.isArray(old) && Array.isArray(next)) return (yield* sharedList(old, next)) as T
  return hasMembers(old) && hasMembers(next) ? ((yield* sharedMembers(old, next)) as T) : next
}

function* sharedList(old: readonly unknown[], next: readonly unknown[]): Steps<readonly unknown[]> {
  const copy = new Array<unknown>(next.length)
  let isSame = old.length === next.length
  for (let i = 0; i < next.length; i++) {
    if (isStepDone()) yield
    copy[i] = shareSmall(old[i], next[i]) ?? (yield* shareUnchanged(old[i], next[i]))
    if (copy[i] !== old[i]) isSame = false
  }
  return isSame ? old : copyWholeFloats(next, copy)
}

function* sharedMembers(old: Members, next: Members): Steps<Members> {
  const names = yield* memberNames(next)
  // The copy of an object of texts would be of no use.
  let copy: Members | undefined
  let isSame = true
  let hasOtherText = false
  for (const [i, name] of names.entries()) {
    if (isStepDone()) yield
    const before = Object.hasOwn(old, name) ? old[name] : undefined
    const value = next[name]
    const shared = shareSmall(before, value) ?? (yield* shareUnchanged(before, value))
    if (shared !== before) {
      isSame = false
      hasOtherText ||= typeof shared === 'string' || typeof before === 'string'
    }
    if (copy === undefined && shared !== value) {
      copy = copyWholeFloats(next, noteCopy(next, {}))
      for (const earlier of names.slice(0, i)) {
        if (isStepDone()) yield
        setMember(copy, earlier, next[earlier])
      }
    }
    if (copy) setMember(copy, name, shared)
  }
  if (isSame && (yield* memberNames(old)).length === names.length) return old
  const result = copy ?? next
  // Other values may be equal to `deepEqual`, such as an absent member and an empty list.
  if ((isWide(old) || isWide(result)) && (hasOtherText || (yield* lacksText(result, old)))) noteDifference(old, result)
  return result
}

/** Reports whether the old object has a text whose name the new one does not have. */
function* lacksText(next: Members, old: Members): Steps<boolean> {
  for (const name of yield* memberNames(old)) {
    if (isStepDone()) yield
    if (typeof old[name] === 'string' && !Object.hasOwn(next, name)) return true
  }
  return false
}

type Members = { readonly [name: string]: unknown }

/** Shares a value that is no object. Undefined if it has to be compared. */
const shareSmall = (old: unknown, next: unknown): unknown => (old === next || typeof next !== 'object' ? next : undefined)
