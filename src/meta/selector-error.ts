import { unlessThrown } from '../lib/unless-thrown.ts'

/** A selector of labels or fields cannot be read. The message is apimachinery's, for a client. */
export class SelectorError extends Error {
  override readonly name = 'SelectorError'
}

/** What is read of a selector, or undefined where it cannot be read. */
export const ifReadable = <T>(read: () => T): T | undefined => unlessThrown(SelectorError, read)
