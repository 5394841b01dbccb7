import { isJsonObject, type Json } from '../../api/meta/object.ts'
import { type ParsedJson, parseExactlyInSteps } from '../../codec/json.ts'
import type { Steps } from '../../lib/steps.ts'

/** Matches patches whose numbers or strings may differ from Go's encoding. */
const MAYBE_ODD = /[\\<>&]|-0|\d[.eE]|\xe2\x80[\xa8\xa9]/

const tests = (patch: Json): boolean => Array.isArray(patch) && patch.some(operation => isJsonObject(operation) && operation.op === 'test')

/**
 * Parses a JSON patch again, with its literals, if a `test` may depend on how a value is written: upstream compares
 * texts. Undefined for other patches.
 */
export function* parseTestedLiterals(body: Buffer, patch: Json): Steps<ParsedJson | undefined> {
  return tests(patch) && MAYBE_ODD.test(body.toString('latin1')) ? yield* parseExactlyInSteps(body, true) : undefined
}
