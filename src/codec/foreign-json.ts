import type { Json } from '../api/meta/object.ts'
import { runInTurns, type Steps } from '../lib/steps.ts'
import { parseJsonInSteps } from './json.ts'
import { parseExactlyInSteps } from './json-exact.ts'
import { MOST_VALUES } from './value-bound.ts'

/**
 * Shorter texts are parsed by JSON.parse, which is faster but cannot be interrupted: it takes some milliseconds for
 * this many opening brackets.
 */
const SHORT_BYTES = 32 * 1024

/** Limit on the members of one object. */
const MOST_MEMBERS = 16_384

/**
 * Parses JSON from another server in steps, whatever its size and content. Throws JsonSyntaxError with Go's text, and
 * TooManyValuesError for more than `mostValues` values (default 65,536, because each costs a hundred times its bytes)
 * or an object of more than 16,384 members.
 */
export function* parseForeignJson(bytes: Buffer, mostValues = MOST_VALUES): Steps<Json> {
  const bounds = { values: mostValues, members: MOST_MEMBERS }
  const { value } = bytes.length <= SHORT_BYTES ? yield* parseJsonInSteps(bytes) : yield* parseExactlyInSteps(bytes, false, bounds)
  return value
}

/** Like `parseForeignJson`, in turns of the event loop. Rejects with the signal's reason once it is aborted. */
export const readForeignJson = (bytes: Buffer, signal?: AbortSignal, mostValues?: number): Promise<Json> =>
  runInTurns(parseForeignJson(bytes, mostValues), signal)
