import { isStepDone, type Steps } from '../lib/steps.ts'
import { memberNames, noteCopy, noteMembers } from '../lib/wide-objects.ts'
import { clone, hasMembers, setMember } from './equal.ts'
import { hasFewValues } from './few-values.ts'

/**
 * Numbers that are whole but floats to Go (`1.0`, `1e3`), with their text, by the object or list that contains them and
 * their name or index in it: a JavaScript number does not keep that. Code that copies such a value also copies the mark
 * (`cloneExactlyInSteps`); otherwise, or after a round trip through JSON, the copy holds integers. Integers beyond 64
 * bits need no mark.
 */
const floats = new WeakMap<object, Map<string, string>>()

/** Texts of the numbers. */
export const wholeFloats: Pick<typeof floats, 'get'> = floats

/** Marks a member or element with its text, or removes the mark. */
export function setWholeFloat(container: object, key: string | number, literal: string | undefined): void {
  const known = floats.get(container)
  if (literal === undefined) known?.delete(String(key))
  else if (known) known.set(String(key), literal)
  else floats.set(container, new Map([[String(key), literal]]))
}

/** Reports whether a number at this place is a float to Go. */
export const isWholeFloat = (container: object, key: string | number): boolean => wholeFloatAt(container, key) !== undefined

/** Returns the text of such a number, or undefined for any other value. */
export const wholeFloatAt = (container: object, key: string | number): string | undefined => floats.get(container)?.get(String(key))

/** Reports whether a value, which is at this place, is such a number. Most values are no numbers. */
export const isFloatIn = (container: object, key: string | number, value: unknown): boolean =>
  typeof value === 'number' && isWholeFloat(container, key)

/** Reports whether a value contains such a number, at any depth. */
export function hasWholeFloats(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return (floats.get(value)?.size ?? 0) > 0 || Object.values(value).some(hasWholeFloats)
}

/** `hasWholeFloats` in steps, for values that may be large. */
export function* hasWholeFloatsInSteps(value: unknown): Steps<boolean> {
  const left: object[] = []
  const open = (member: unknown): void => {
    if (typeof member === 'object' && member !== null) left.push(member)
  }
  open(value)
  for (let each = left.pop(); each !== undefined; each = left.pop()) {
    if (isStepDone()) yield
    if ((floats.get(each)?.size ?? 0) > 0) return true
    if (Array.isArray(each)) each.forEach(open)
    else if (hasMembers(each))
      for (const key of yield* memberNames(each)) {
        if (isStepDone()) yield
        open(each[key])
      }
  }
  return false
}

/** Copies the marks of the original to a shallow copy. */
export function copyWholeFloats<T extends object>(from: object, to: T): T {
  const known = floats.get(from)
  if (known) floats.set(to, new Map(known))
  return to
}

/** Shifts the marks of a list's elements after an insertion (1) or removal (-1) at an index. */
export function shiftWholeFloats(list: readonly unknown[], at: number, by: 1 | -1): void {
  const known = floats.get(list)
  if (!known) return
  const left = [...known].map(([index, literal]) => [Number(index), literal] as const).filter(([index]) => by === 1 || index !== at)
  floats.set(list, new Map(left.map(([index, literal]) => [String(index >= at ? index + by : index), literal])))
}

/** Reports whether Go holds the number as an int64. `isFloat` is set if it is marked. */
export const isGoInteger = (value: number | bigint, isFloat: boolean): boolean =>
  !isFloat && (typeof value === 'bigint' || Number.isSafeInteger(value))

/**
 * Returns a deep copy of plain data like `clone`, with its marks, in steps. It uses a stack instead of recursion,
 * because a generator for each small object would cost more than the copy, and avoids `Object.entries`, which creates a
 * pair for each element of a list before the first step ends.
 */
export const cloneExactlyInSteps = <T>(value: T): Steps<T> => copyInSteps(value, original => copyWholeFloats(original, emptyLike(original)))

/** Same as `clone`, in steps, for values that may be large. */
export function* cloneInSteps<T>(value: T): Steps<T> {
  if (hasFewValues(value)) return clone(value)
  yield
  return yield* copyInSteps(value, emptyLike)
}

/** Undefined members are omitted. The copy is complete only when the steps have ended. */
function* copyInSteps<T>(value: T, emptyCopy: (original: object) => object): Steps<T> {
  const originals: object[] = []
  const copies: object[] = []
  const copyOf = (member: unknown): unknown => {
    if (typeof member !== 'object' || member === null) return member
    const inner = noteCopy(member, emptyCopy(member))
    originals.push(member)
    copies.push(inner)
    return inner
  }
  const copy = copyOf(value)
  for (let from = originals.pop(), to = copies.pop(); from !== undefined && to !== undefined; from = originals.pop(), to = copies.pop()) {
    if (Array.isArray(from) && Array.isArray(to)) {
      for (let i = 0; i < from.length; i++) {
        if (isStepDone()) yield
        to[i] = copyOf(from[i])
      }
    } else if (hasMembers(from)) {
      const names = yield* memberNames(from)
      noteMembers(to, names.length)
      for (const key of names) {
        if (isStepDone()) yield
        const member = from[key]
        if (member !== undefined) setMember(to, key, copyOf(member))
      }
    }
  }
  return copy as T
}

/** Returns an empty list or object of the same kind. */
const emptyLike = (value: object): object => (Array.isArray(value) ? new Array<unknown>(value.length) : {})
