import { isStepDone, runAtOnce, type Steps } from '../lib/steps.ts'
import { hasMembers, setMember } from './equal.ts'

/**
 * Numbers that are whole and yet floats to Go (`1.0`, `1e3`), as they stand in the text, by the object or list that holds them and their name or index in it: a number of JavaScript does not keep that.
 * Code that copies such a value marks the copy (`cloneExactly`); what is copied otherwise, or written and read again, holds integers. Integers beyond 64 bits need no mark.
 */
const floats = new WeakMap<object, Map<string, string>>()

/** The texts of all of them. */
export const wholeFloats: Pick<typeof floats, 'get'> = floats

/** Marks a member or an element, whose text this is, or takes its mark off. */
export function setWholeFloat(container: object, key: string | number, literal: string | undefined): void {
  const known = floats.get(container)
  if (literal === undefined) known?.delete(String(key))
  else if (known) known.set(String(key), literal)
  else floats.set(container, new Map([[String(key), literal]]))
}

export const isWholeFloat = (container: object, key: string | number): boolean => wholeFloatAt(container, key) !== undefined

/** The text of such a number, undefined of any other value. */
export const wholeFloatAt = (container: object, key: string | number): string | undefined => floats.get(container)?.get(String(key))

/** The same, of a value that stands there: most are no numbers. */
export const isFloatIn = (container: object, key: string | number, value: unknown): boolean => typeof value === 'number' && isWholeFloat(container, key)

/** Whether there is such a number in a value, at any depth. */
export function hasWholeFloats(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return (floats.get(value)?.size ?? 0) > 0 || Object.values(value).some(hasWholeFloats)
}

/** Gives a shallow copy the marks of the original. */
export function copyWholeFloats<T extends object>(from: object, to: T): T {
  const known = floats.get(from)
  if (known) floats.set(to, new Map(known))
  return to
}

/** Moves the marks of a list's elements with them: `by` elements come in at an index (1), or the one there has gone (-1). */
export function shiftWholeFloats(list: readonly unknown[], at: number, by: 1 | -1): void {
  const known = floats.get(list)
  if (!known) return
  const left = [...known].map(([index, literal]) => [Number(index), literal] as const).filter(([index]) => by === 1 || index !== at)
  floats.set(list, new Map(left.map(([index, literal]) => [String(index >= at ? index + by : index), literal])))
}

/** Whether Go holds the number as an int64: `isFloat` where it is marked. */
export const isGoInteger = (value: number | bigint, isFloat: boolean): boolean => !isFloat && (typeof value === 'bigint' || Number.isSafeInteger(value))

/** A deep copy of plain data, as `clone` makes it, with its marks. */
export const cloneExactly = <T>(value: T): T => runAtOnce(cloneExactlyInSteps(value))

/**
 * The same in steps, for values that may be large. A stack instead of recursion, for a generator of each small object would cost more than its copy; and no `Object.entries`, which makes a
 * pair of each element of a list before the first step ends.
 */
export function* cloneExactlyInSteps<T>(value: T): Steps<T> {
  const originals: object[] = []
  const copies: object[] = []
  const copyOf = (member: unknown): unknown => {
    if (typeof member !== 'object' || member === null) return member
    const inner = emptyCopy(member)
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
      for (const key in from) {
        if (isStepDone()) yield
        const member = from[key]
        if (member !== undefined) setMember(to, key, copyOf(member))
      }
    }
  }
  return copy as T
}

/** A list or object without members, but for the marks of those that it will have. */
const emptyCopy = (value: object): object => copyWholeFloats(value, Array.isArray(value) ? new Array<unknown>(value.length) : {})
