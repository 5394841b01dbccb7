import type { Json, JsonObject } from '../api/meta/object.ts'
import { runIfSteps, type Steps } from '../lib/steps.ts'
import type { DecodeOptions } from './decoding.ts'
import type { StructSchema } from './schema.ts'

export { DecodeError } from './diagnose.ts'

/**
 * Decodes a value to a new object of the type: unknown members are removed and special forms are canonical. Typed
 * objects have all members in declared order (`decodeStruct`). For custom kinds the metadata is coerced, and members
 * that the schema does not name are removed, as are nulls that it does not allow. Throws a DecodeError.
 */
export const decode = (schema: StructSchema, value: Json, options?: DecodeOptions): JsonObject => schema.form.decode(schema, value, options)

/** Like `decode`, in steps for custom kinds, which take several walks through the value. */
export function* decodeInSteps(schema: StructSchema, value: Json, options?: DecodeOptions): Steps<JsonObject> {
  return yield* runIfSteps(schema.form.decodeInSteps(schema, value, options))
}
