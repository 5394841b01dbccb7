import { containedValues, visitParts } from '../../../cel/values/sizes.ts'
import { StructValue } from '../../../cel/values/struct.ts'
import { CelOptional, type Value } from '../../../cel/values/value.ts'
import type { Steps } from '../../../lib/steps.ts'
import { MutationError } from './mutation-error.ts'

/** Limit for the values and characters of a patch: the size of the largest request body. */
const MAX_PATCH_SIZE = 3 * 1024 * 1024

/**
 * Throws a MutationError if a patch is larger than any request, before it is converted: lists that share their elements
 * have a JSON form that does not fit into memory. Runs in steps.
 */
export function* checkPatchSize(patch: Value): Steps<void> {
  let size = 0
  yield* visitParts(patch, patchParts, value => {
    size += 1 + (typeof value === 'string' || value instanceof Uint8Array ? value.length : 0)
    if (size > MAX_PATCH_SIZE) throw new MutationError(`the patch has more than ${MAX_PATCH_SIZE} values and characters`)
  })
}

/** Structs and optionals have parts, too. */
function patchParts(value: Value): Iterable<Value> | undefined {
  if (value instanceof StructValue) return value.fields.values()
  if (value instanceof CelOptional) return value.value === undefined ? [] : [value.value]
  return containedValues(value)
}
