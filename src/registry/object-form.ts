import type { JsonObject } from '../meta/object.ts'
import { decode } from '../schema/decode.ts'
import type { FreeForm, StructSchema } from '../schema/schema.ts'

/** How objects of a version are held: typed, as Go holds a struct, or as free-form JSON (custom kinds). */
export interface ObjectForm {
  /** What was stored, or written by somebody else: what a custom kind's metadata has that is malformed is dropped. Throws a DecodeError. */
  readStored(value: JsonObject): JsonObject
}

const typed = (schema: StructSchema): ObjectForm => ({ readStored: value => decode(schema, value) })

const untyped = (freeForm: FreeForm): ObjectForm => ({ readStored: value => freeForm.readStored(value) })

const forms = new WeakMap<StructSchema, ObjectForm>()

/** The form of a schema, made when first asked for. */
export function objectFormOf(schema: StructSchema): ObjectForm {
  let form = forms.get(schema)
  if (form === undefined) {
    form = schema.freeForm ? untyped(schema.freeForm) : typed(schema)
    forms.set(schema, form)
  }
  return form
}
