import type { Json } from '../api/meta/object.ts'
import type { Steps } from '../lib/steps.ts'

/** Options of `decode`. */
export interface DecodeOptions {
  /** Called with the path (`spec.ports[0].bar`) of each unknown member, in the order of the value. */
  readonly onUnknown?: (path: string) => void
  /**
   * Whether to keep empty lists and maps that are always written, as Go does before the object is stored: messages and
   * field owners distinguish them from nil. Empty ones that `omitempty` omits are dropped in any case (see
   * `meta/empty-members.ts`).
   */
  readonly keepEmpty?: boolean
}

/** State of one call of `decode`: the options of its readers, and what they report to their callers. */
export interface Decoding {
  /** See `DecodeOptions.keepEmpty`. */
  readonly keepsEmpty: boolean
  /** Set by a reader of a struct that encounters an unknown member. */
  unknownSeen: boolean
  /**
   * Whether the last map that was read is empty. Checking a map of 100,000 members costs as much as a walk through it.
   */
  emptyMapRead: boolean
  /** List and map elements read since the last step. */
  read: number
  /**
   * Optional. Receives the steps that read the rest of long lists and maps. Omitted if everything is read in one call.
   */
  readonly later?: Steps<undefined>[]
}

/** Elements that are read in one step. */
const MOST_AT_ONCE = 1024

/** Counts an element. Returns whether the following ones are left to another step. */
export const isReadLong = (run: Decoding): boolean => isLongRead(++run.read)

/** Whether this many elements take more than one step. */
export const isLongRead = (elements: number): boolean => elements > MOST_AT_ONCE

/** Reads a value into its canonical form. Throws MISFIT. Compiled once per schema, so it has no state of a call. */
export type ValueReader<T extends Json | undefined = Json> = (value: Json, run: Decoding) => T

/** Reads the value of a field. Returns undefined if the member is omitted. */
export type FieldReader = ValueReader<Json | undefined>

/**
 * Thrown by readers for a value of a wrong type. It is always the same error, because creating one with its stack costs
 * more than most decodings. The caller then determines the message.
 */
export const MISFIT = new Error('misfit')
