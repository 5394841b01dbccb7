import type { Json, JsonObject } from '../api/meta/object.ts'
import type { Steps } from '../lib/steps.ts'
import { type DecodeOptions, type Decoding, MISFIT } from './decoding.ts'
import { fillDefaults } from './default.ts'
import { DecodeError, diagnose, diagnoseInSteps } from './diagnose.ts'
import { structReader } from './readers.ts'
import type { ObjectForm, StructSchema } from './schema.ts'

/** The form of declared types. */
export const TYPED: ObjectForm = {
  name: 'typed',
  id: '',
  decode: decodeStruct,
  decodeInSteps: decodeStructInSteps,
  readStored: (schema, value) => decodeStructInSteps(schema, value),
  setDefaults: fillDefaults,
  define: (schema, document) => document.ofFields(schema.base ?? schema),
}

/**
 * Converts a value as Go does by decoding it into the type's struct and encoding it again. The result is a new object
 * with members in declared order: zero values are omitted if the field says so, non-pointer structs are always present,
 * special forms are canonical, unknown members are removed. Raw members are shared with the input, not copied. Empty
 * lists, maps and bytes become what storing them as protobuf makes of nil: null if the member is always written.
 *
 * Usually only the readers compiled from the schema run. A second walk determines the error or the unknown members if a
 * value does not match, or has unknown members and `onUnknown` is given. Throws a DecodeError with the text of
 * sigs.k8s.io/json for the first error.
 */
function decodeStruct(schema: StructSchema, value: Json, options?: DecodeOptions): JsonObject {
  const run: Decoding = { keepsEmpty: options?.keepEmpty === true, unknownSeen: false, emptyMapRead: false, read: 0 }
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

/**
 * Like `decodeStruct`, in steps. Lists and maps are read a thousand elements at a time, so the object refers to them
 * before they are complete.
 */
function* decodeStructInSteps(schema: StructSchema, value: Json, options?: DecodeOptions): Steps<JsonObject> {
  const later: Steps<undefined>[] = []
  const run: Decoding = { keepsEmpty: options?.keepEmpty === true, unknownSeen: false, emptyMapRead: false, read: 0, later }
  try {
    const out = structReader(schema)(value, run)
    // Reading the rest of a list or map can add further steps to `later`.
    for (const rest of later) {
      yield
      run.read = 0
      yield* rest
    }
    if (run.unknownSeen && options?.onUnknown) {
      yield
      yield* diagnoseInSteps(schema, value, options)
    }
    return out
  } catch (error) {
    if (error !== MISFIT) throw error
    yield
    yield* diagnoseInSteps(schema, value)
    throw new DecodeError(`json: cannot unmarshal the value into ${schema.name}`)
  }
}
