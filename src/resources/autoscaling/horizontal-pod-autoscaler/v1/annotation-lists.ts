import { writeStruct } from '../../../../codec/json-writer.ts'
import { deepEqual } from '../../../../meta/equal.ts'
import type { Json, JsonObject } from '../../../../meta/object.ts'
import { decode } from '../../../../schema/decode.ts'
import type { StructSchema } from '../../../../schema/schema.ts'
import type { ApiStruct } from '../../../core/checks.ts'

/** How the items of a list of v2 are written in an annotation of v1. */
export interface ListForm {
  readonly v1: StructSchema
  readonly v2: StructSchema
  readonly toV1: (item: ApiStruct) => ApiStruct
  readonly toV2: (item: ApiStruct) => ApiStruct
}

/**
 * Beside the members of v1, for an item of which they do not tell everything. A reader that does not know it passes it over, and it counts only where the other members still say the
 * same.
 */
const EXACT = 'v2'

const whole = (schema: StructSchema, value: unknown): JsonObject => decode(schema, value as Json)

function itemText(form: ListForm, item: ApiStruct): string {
  const written = whole(form.v1, form.toV1(item))
  const text = writeStruct(form.v1, written)
  const exact = whole(form.v2, item)
  if (deepEqual(whole(form.v2, form.toV2(written)), exact)) return text
  return `${text.slice(0, -1)},"${EXACT}":${writeStruct(form.v2, exact)}}`
}

export const writeList = (form: ListForm, items: readonly ApiStruct[]): string => `[${items.map(item => itemText(form, item)).join(',')}]`

function itemOf(form: ListForm, value: ApiStruct): JsonObject {
  const written = whole(form.v1, value)
  const exact = value?.[EXACT] === undefined ? undefined : whole(form.v2, value[EXACT])
  return exact && deepEqual(whole(form.v1, form.toV1(exact)), written) ? exact : whole(form.v2, form.toV2(written))
}

/** The JSON of the text, whatever it is; undefined where it is none. */
export function parseAnnotation(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Undefined where there is no list that can be read. */
export function readList(form: ListForm, text: string | undefined): JsonObject[] | undefined {
  const value = parseAnnotation(text)
  if (!Array.isArray(value)) return undefined
  try {
    return value.map(item => itemOf(form, item as ApiStruct))
  } catch {
    return undefined
  }
}
