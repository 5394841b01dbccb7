import { isJsonObject, type Json, type JsonObject } from '../../../../api/meta/object.ts'
import { writeStruct } from '../../../../codec/json-writer.ts'
import { boundJsonValues } from '../../../../codec/value-bound.ts'
import { isStepDone, type Steps } from '../../../../lib/steps.ts'
import { deepEqual } from '../../../../meta/equal.ts'
import { decodeAs } from '../../../../schema/decode-as.ts'
import type { StructSchema } from '../../../../schema/schema.ts'

/** Conversion of the items of a list between v2 and the annotations of v1. */
export interface ListForm<V1 extends Json, V2 extends Json> {
  readonly v1: StructSchema
  readonly v2: StructSchema
  readonly toV1: (item: V2) => Json
  readonly toV2: (item: V1) => Json
}

/**
 * Member with the v2 form of an item that the members of v1 do not fully describe. Other readers ignore it. It is used
 * only if the other members still agree with it.
 */
const EXACT = 'v2'

/** Decodes a value as the declared type of the version, which orders its members. */
const inV1 = <V1 extends Json, V2 extends Json>({ v1 }: ListForm<V1, V2>, value: Json): V1 => decodeAs<V1>(v1, value)
const inV2 = <V1 extends Json, V2 extends Json>({ v2 }: ListForm<V1, V2>, value: Json): V2 => decodeAs<V2>(v2, value)

/** Converts items to v1, and reports whether converting back returns the same items. */
export function* listToV1<V1 extends Json, V2 extends Json>(
  form: ListForm<V1, V2>,
  items: readonly V2[],
): Steps<{ readonly written: V1[]; readonly isExact: boolean }> {
  const written: V1[] = []
  let isExact = true
  for (const item of items) {
    const one = inV1(form, form.toV1(item))
    written.push(one)
    isExact &&= deepEqual(inV2(form, form.toV2(one)), inV2(form, item))
    if (isStepDone()) yield
  }
  return { written, isExact }
}

/** Converts items to v2. */
export function* listToV2<V1 extends Json, V2 extends Json>(form: ListForm<V1, V2>, items: readonly V1[]): Steps<V2[]> {
  const read: V2[] = []
  for (const item of items) {
    read.push(inV2(form, form.toV2(item)))
    if (isStepDone()) yield
  }
  return read
}

/** Prints an item in the form of v1. If converting it back would lose something, the v2 form is added under EXACT. */
function itemText<V1 extends Json, V2 extends Json>(form: ListForm<V1, V2>, item: V2): string {
  const written = inV1(form, form.toV1(item))
  const text = writeStruct(form.v1, decodeAs<JsonObject>(form.v1, written))
  const exact = inV2(form, item)
  if (deepEqual(inV2(form, form.toV2(written)), exact)) return text
  return `${text.slice(0, -1)},"${EXACT}":${writeStruct(form.v2, decodeAs<JsonObject>(form.v2, item))}}`
}

/** Prints a list as the JSON of an annotation, in steps: there may be tens of thousands of metrics. */
export function* writeList<V1 extends Json, V2 extends Json>(form: ListForm<V1, V2>, items: readonly V2[]): Steps<string> {
  const texts: string[] = []
  for (const item of items) {
    texts.push(itemText(form, item))
    if (isStepDone()) yield
  }
  return `[${texts.join(',')}]`
}

/**
 * Converts an item to v2. The value under EXACT is used only while it still converts to the other members, which a v1
 * client may have changed.
 */
function itemOf<V1 extends Json, V2 extends Json>(form: ListForm<V1, V2>, value: Json): V2 {
  const written = inV1(form, value)
  const given = isJsonObject(value) ? value[EXACT] : undefined
  const exact = given === undefined ? undefined : inV2(form, given)
  return exact && deepEqual(inV1(form, form.toV1(exact)), written) ? exact : inV2(form, form.toV2(written))
}

/** Parses an annotation as JSON. Undefined if it is not JSON, or has more values than a request body may hold. */
export function parseAnnotation(text: string | undefined): Json | undefined {
  if (text === undefined) return undefined
  try {
    boundJsonValues(Buffer.from(text))
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Parses the list in an annotation. Undefined if there is none, or it cannot be parsed. */
export function* readList<V1 extends Json, V2 extends Json>(form: ListForm<V1, V2>, text: string | undefined): Steps<V2[] | undefined> {
  const value = parseAnnotation(text)
  if (!Array.isArray(value)) return undefined
  const items: V2[] = []
  try {
    for (const item of value) {
      items.push(itemOf(form, item))
      if (isStepDone()) yield
    }
    return items
  } catch {
    return undefined
  }
}
