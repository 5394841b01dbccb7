import { resultOf, type Steps } from '../lib/steps.ts'
import type { Json, JsonObject } from '../meta/object.ts'
import type { DecodeOptions } from './decoding.ts'
import type { StructSchema } from './schema.ts'

export { DecodeError } from './diagnose.ts'

/**
 * Reads a value as an object of the type, which is fresh: unknown members are gone, and special forms canonical. Typed objects have every member in its place (`decodeStruct`); of custom kinds the
 * metadata is coerced, and what the schema does not name is removed, as are nulls that it does not allow. Throws a DecodeError.
 */
export const decode = (schema: StructSchema, value: Json, options?: DecodeOptions): JsonObject => schema.form.decode(schema, value, options)

/** The same in steps where the value is of a custom kind: that takes several walks through it. */
export function* decodeInSteps(schema: StructSchema, value: Json, options?: DecodeOptions): Steps<JsonObject> {
  return yield* resultOf(schema.form.decodeInSteps(schema, value, options))
}
