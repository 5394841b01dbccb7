import type { Steps } from '../lib/steps.ts'
import { unlessThrown } from '../lib/unless-thrown.ts'
import type { Wording } from './wording.ts'

/** Thrown for a label or field selector that cannot be parsed. The message is apimachinery's, for the client. */
export class SelectorError extends Error {
  override readonly name = 'SelectorError'
  readonly #reworded: ((wording: Wording) => string) | undefined

  /** @param reworded returns the message of a later release, if it differs. */
  constructor(message: string, reworded?: (wording: Wording) => string) {
    super(message)
    this.#reworded = reworded
  }

  /** Returns the message of a release. */
  worded(wording: Wording): string {
    return this.#reworded?.(wording) ?? this.message
  }
}

/** Returns the result of `read`, or undefined if it throws a SelectorError. */
export const ifReadable = <T>(read: () => T): T | undefined => unlessThrown(SelectorError, read)

/** `ifReadable` in steps, for selectors that may be large. */
export function* ifReadableInSteps<T>(read: Steps<T>): Steps<T | undefined> {
  try {
    return yield* read
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error
    return undefined
  }
}
