import { runInTurns, type Steps } from '../lib/steps.ts'
import type { Json } from '../meta/object.ts'
import { parseJsonInSteps } from './json.ts'
import { parseExactlyInSteps } from './json-exact.ts'
import { MOST_VALUES } from './value-bound.ts'

/** Texts up to this length are parsed by the runtime, which is faster and cannot be interrupted: it takes some milliseconds for as many opening brackets. */
const SHORT_BYTES = 32 * 1024

/** Members of one object. */
const MOST_MEMBERS = 16_384

/**
 * Parses the JSON of a server elsewhere in steps, however long it is and whatever it holds. Throws JsonSyntaxError in Go's words, and TooManyValuesError if there are more than `mostValues` values, 65,536 by
 * default, of which each costs a hundred times its bytes, or an object has more than 16,384 members.
 */
export function* parseForeignJson(bytes: Buffer, mostValues = MOST_VALUES): Steps<Json> {
  const bounds = { values: mostValues, members: MOST_MEMBERS }
  const { value } = bytes.length <= SHORT_BYTES ? yield* parseJsonInSteps(bytes) : yield* parseExactlyInSteps(bytes, false, bounds)
  return value
}

/** The same, whole. Rejects with the signal's reason once nothing waits for it. */
export const readForeignJson = (bytes: Buffer, signal?: AbortSignal, mostValues?: number): Promise<Json> =>
  runInTurns(parseForeignJson(bytes, mostValues), signal)
