import type { Steps } from './steps.ts'
import { endTurn } from './turn.ts'

/**
 * Number of members above which an object is wide. V8 lists the names of a wide object in milliseconds (65,000 in
 * seven), in one piece, as it sorts them, and the first iteration of a `for` loop over them takes as long as all.
 */
export const MANY_MEMBERS = 4096

/**
 * Limit on the members that a client may give one object. Listing them takes a third of the ten milliseconds of a turn.
 * No real object is refused: if names and values have together more than 20 characters, 32,768 of them and their
 * managed fields exceed the 1.5 megabytes of an object in etcd.
 */
export const MOST_MEMBERS = 32_768

const wide = new WeakSet<object>()
/** Whether an object of more than `MOST_MEMBERS` has been seen. */
let hasSeenTooWide = false

/**
 * Marks an object as wide if it has this many members. Code that creates an object knows how many, and its readers need
 * not list them to find out.
 */
export function noteMembers<T extends object>(object: T, count: number): T {
  if (count > MANY_MEMBERS) note(object, count)
  return object
}

function note(object: object, count: number): void {
  wide.add(object)
  if (count > MOST_MEMBERS) hasSeenTooWide = true
}

/**
 * Reports whether any object of more than `MOST_MEMBERS` has been marked or listed in this process. As long as there
 * was none, no object needs to be searched for one.
 */
export const mayBeTooWide = (): boolean => hasSeenTooWide

/** Marks a copy as wide if the original is. */
export function noteCopy<T extends object>(from: object, to: T): T {
  if (wide.has(from)) wide.add(to)
  return to
}

/** Reports whether an object is known to be wide. */
export const isWide = (object: object): boolean => wide.has(object)

/** Reports whether a map is absent or has no members. A wide one is not listed. */
export const hasNoMembers = (map: object | undefined): boolean => map === undefined || (!isWide(map) && namesOf(map).length === 0)

/** Returns the names of the members of an object, which is marked if they are many. */
export function namesOf(object: object): string[] {
  const names = Object.keys(object)
  if (names.length > MANY_MEMBERS) note(object, names.length)
  return names
}

/** Lists the names of the members of any object: at once, or in a turn of their own if it is wide. */
export const memberNames = (object: object): Iterable<undefined, string[]> =>
  isWide(object) ? wideNames(object) : new ListedNames(namesOf(object))

/** Names that need no steps. A generator for each small object would cost more than its names. */
class ListedNames implements Iterator<undefined, string[]>, IteratorReturnResult<string[]> {
  readonly done = true
  readonly value: string[]

  constructor(names: string[]) {
    this.value = names
  }

  next(): this {
    return this
  }

  [Symbol.iterator](): this {
    return this
  }
}

/** Lists the names of a wide object in a turn of their own. */
export function* wideNames(object: object): Steps<string[]> {
  endTurn()
  yield
  const names = Object.keys(object)
  if (names.length > MOST_MEMBERS) hasSeenTooWide = true
  endTurn()
  yield
  return names
}
