import { unlessThrown } from '../lib/unless-thrown.ts'

/** Thrown for a label or field selector that cannot be parsed. The message is apimachinery's, for the client. */
export class SelectorError extends Error {
  override readonly name = 'SelectorError'
}

/** Returns the result of `read`, or undefined if it throws a SelectorError. */
export const ifReadable = <T>(read: () => T): T | undefined => unlessThrown(SelectorError, read)
