import type { Json, KubeObject } from '../../api/meta/object.ts'
import type { Steps } from '../../lib/steps.ts'
import { DecodeError } from '../../schema/decode.ts'
import { wrappedIntegers } from '../../schema/wrapped-integers.ts'
import { type Decodable, decodeInSteps } from '../decode-object.ts'

/**
 * Decodes and defaults a value that upstream converts without JSON text, such as the result of a strategic merge or an
 * apply. Integers that are too large wrap around, as in Go.
 */
export function* decodeConverted(target: Decodable, value: Json, onUnknown?: (path: string) => void): Steps<KubeObject> {
  const unknown: string[] = []
  try {
    const object = yield* decodeInSteps(target, value, onUnknown && (path => unknown.push(path)))
    for (const path of unknown) onUnknown?.(path)
    return object
  } catch (error) {
    const cut = error instanceof DecodeError ? wrappedIntegers(target.schema, value) : value
    if (cut === value) throw error
    return yield* decodeInSteps(target, cut, onUnknown)
  }
}
