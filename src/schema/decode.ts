import { runAtOnce, type Steps } from '../lib/steps.ts'
import type { Json, JsonObject } from '../meta/object.ts'
import { type Decoding, MISFIT } from './decoding.ts'
import { DecodeError, diagnose } from './diagnose.ts'
import { structReader } from './readers.ts'
import type { StructSchema } from './schema.ts'

export { DecodeError } from './diagnose.ts'

export interface DecodeOptions {
  /** Called with the path (`spec.ports[0].bar`) of each member that no field names, in the order of the value. */
  readonly onUnknown?: (path: string) => void
  /** Empty lists and maps that are always written stay, as in Go before the object is stored: messages and field owners distinguish them from nil. */
  readonly keepEmpty?: boolean
}

/**
 * What Go's decoding into the type's struct, and encoding again, makes of a value: a fresh object with its members in declared order, zero values dropped where
 * the field says so, structs that are no pointers always there, special forms canonical, unknown members gone. Raw members are shared with the input, not copied. Empty lists, maps and bytes become what storing them as
 * protobuf makes of nil: null where the member is always written.
 *
 * Readers compiled from the schema take the common way; only where a value does not fit, or has unknown members that somebody wants to know of, a second walk finds out what to say.
 * Throws a DecodeError with the text of sigs.k8s.io/json for the first mistake.
 */
export function decode(schema: StructSchema, value: Json, options?: DecodeOptions): JsonObject {
  if (schema.freeForm) return runAtOnce(schema.freeForm.read(value, options?.onUnknown))
  const run: Decoding = { keepsEmpty: options?.keepEmpty === true, unknownSeen: false, emptyMapRead: false }
  try {
    const out = structReader(schema)(value, run)
    if (run.unknownSeen && options?.onUnknown) diagnose(schema, value, options)
    return out
  } catch (error) {
    if (error !== MISFIT) throw error
    diagnose(schema, value)
    throw new DecodeError(`json: cannot unmarshal the value into ${schema.name}`)
  }
}

/** The same, in steps where the value is of a custom kind: that takes several walks through it. */
export function* decodeInSteps(schema: StructSchema, value: Json, options?: DecodeOptions): Steps<JsonObject> {
  return schema.freeForm ? yield* schema.freeForm.read(value, options?.onUnknown) : decode(schema, value, options)
}
