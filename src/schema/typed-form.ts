import type { Steps } from '../lib/steps.ts'
import type { Json, JsonObject } from '../meta/object.ts'
import { type DecodeOptions, type Decoding, MISFIT } from './decoding.ts'
import { fillDefaults } from './default.ts'
import { DecodeError, diagnose, diagnoseInSteps } from './diagnose.ts'
import { structReader } from './readers.ts'
import type { ObjectForm, StructSchema } from './schema.ts'

/** Of types that are declared. */
export const TYPED: ObjectForm = {
  name: 'typed',
  id: '',
  decode: decodeStruct,
  decodeInSteps: decodeStructInSteps,
  readStored: (schema, value) => decodeStruct(schema, value),
  setDefaults: fillDefaults,
  define: (schema, document) => document.ofFields(schema.base ?? schema),
}

/**
 * What Go's decoding into the type's struct, and encoding again, makes of a value: a fresh object with its members in declared order, zero values dropped where
 * the field says so, structs that are no pointers always there, special forms canonical, unknown members gone. Raw members are shared with the input, not copied. Empty lists, maps and bytes become what storing them as
 * protobuf makes of nil: null where the member is always written.
 *
 * Readers compiled from the schema take the common way; only where a value does not fit, or has unknown members that somebody wants to know of, a second walk finds out what to say.
 * Throws a DecodeError with the text of sigs.k8s.io/json for the first mistake.
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

/** The same in steps. Lists and maps are read a thousand elements at a time: their values are in the object before they are complete. */
function* decodeStructInSteps(schema: StructSchema, value: Json, options?: DecodeOptions): Steps<JsonObject> {
  const later: Steps<undefined>[] = []
  const run: Decoding = { keepsEmpty: options?.keepEmpty === true, unknownSeen: false, emptyMapRead: false, read: 0, later }
  try {
    const out = structReader(schema)(value, run)
    // The rest of a list or map may add to `later` itself.
    for (const rest of later) {
      yield
      run.read = 0
      yield* rest
    }
    if (run.unknownSeen && options?.onUnknown) yield* diagnoseInSteps(schema, value, options)
    return out
  } catch (error) {
    if (error !== MISFIT) throw error
    yield* diagnoseInSteps(schema, value)
    throw new DecodeError(`json: cannot unmarshal the value into ${schema.name}`)
  }
}
