import type { Steps } from '../lib/steps.ts'
import type { Json } from '../meta/object.ts'

export interface DecodeOptions {
  /** Called with the path (`spec.ports[0].bar`) of each member that no field names, in the order of the value. */
  readonly onUnknown?: (path: string) => void
  /**
   * Empty lists and maps that are always written stay, as in Go before the object is stored: messages and field owners distinguish them from nil. Those that are left out when they are empty
   * are (`meta/given-empty.ts` knows of them).
   */
  readonly keepEmpty?: boolean
}

/** One run of `decode`: the options of its readers, and what they report to their callers. */
export interface Decoding {
  /** Empty lists and maps that are always written stay. */
  readonly keepsEmpty: boolean
  /** Set by any reader of a struct that meets a member without a field. */
  unknownSeen: boolean
  /** Whether the map that was read last has no members: asking a map of 100,000 costs as much as a walk through it. */
  emptyMapRead: boolean
  /** Elements of lists and maps that were read since the last step. */
  read: number
  /** Optional. Collects the rest of long lists and maps, which later steps read. Omitted if all is read at once. */
  readonly later?: Steps<undefined>[]
}

/** Elements that are read at once. */
const MOST_AT_ONCE = 1024

/** Counts an element that is read. Reports whether the elements behind it are left to another step. */
export const isReadLong = (run: Decoding): boolean => isLongRead(++run.read)

/** Whether so many elements take more than a step. */
export const isLongRead = (elements: number): boolean => elements > MOST_AT_ONCE

/** Reads a value into its canonical form; throws MISFIT. Compiled once for each schema, so it holds nothing of a run. */
export type Reader<T extends Json | undefined = Json> = (value: Json, run: Decoding) => T

/** Reads the value of a field; undefined where the member is left out. */
export type FieldReader = Reader<Json | undefined>

/** Thrown by readers at a value of a wrong type, the same error each time: making one with its stack costs more than most decodings. Whoever called then finds out what to say. */
export const MISFIT = new Error('misfit')
