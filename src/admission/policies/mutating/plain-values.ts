import type { Json, JsonObject } from '../../../api/meta/object.ts'
import { fieldElement } from '../../../apply/path-element.ts'
import { childSchema } from '../../../apply/typed-schema.ts'
import { documentOf } from '../../../cel/values/json.ts'
import { JoinedList, TextList } from '../../../cel/values/list.ts'
import { ValueMap } from '../../../cel/values/map.ts'
import { StructValue } from '../../../cel/values/struct.ts'
import { CelDouble, CelList, CelOptional, CelType, isInt, type Value } from '../../../cel/values/value.ts'
import { isStepDone, type Steps } from '../../../lib/steps.ts'
import { setMember } from '../../../meta/equal.ts'
import type { ListSchema, Schema } from '../../../schema/schema.ts'
import { MutationError } from './mutation-error.ts'

/** Position of a value in the result of an expression. */
export interface ValuePosition {
  /** `.spec.containers[name="a"].image`, empty for the root. */
  readonly path: string
  /** Undefined if the field is unknown. */
  readonly schema: Schema | undefined
}

/** Returns a replacement for a value without a JSON form. Undefined omits it. */
export type Stray = (value: Value, place: ValuePosition) => Json | undefined

/**
 * Converts the members of a struct to JSON. cel-go unwraps literal lists and maps only as direct fields of a struct.
 * Nested ones are passed to `stray`, as are null, uints, bytes, times, and the results of `split` and `findAll`. Runs
 * in steps.
 */
export function* plainStruct({ fields }: StructValue, place: ValuePosition, stray: Stray): Steps<JsonObject> {
  const out: JsonObject = {}
  for (const [name, value] of fields) {
    const at = { path: `${place.path}.${name}`, schema: childSchema(place.schema, fieldElement(name)) }
    const plain = yield* plainField(value, at, stray)
    if (plain !== undefined) setMember(out, name, plain)
  }
  return out
}

/** Converts the value of a struct field. Literal lists and maps are converted here, and only here. */
function* plainField(value: Value, place: ValuePosition, stray: Stray): Steps<Json | undefined> {
  if (isLiteralList(value)) return yield* plainElements(value, place, stray)
  if (!(value instanceof ValueMap)) return yield* plainValue(value, place, stray)
  const out: JsonObject = {}
  for (const key of value.keys()) {
    if (typeof key !== 'string') throw new MutationError('invalid return type: *dynamic.ObjectVal')
    const at = { path: `${place.path}.${key}`, schema: childSchema(place.schema, fieldElement(key)) }
    const plain = yield* plainValue(value.find(key) ?? null, at, stray)
    if (plain !== undefined) setMember(out, key, plain)
  }
  return out
}

/** Whether cel-go represents the list as `[]ref.Val`: literals, and the results of macros and list functions. */
export const isLiteralList = (value: Value): value is CelList =>
  value instanceof CelList && !(value instanceof TextList || value instanceof JoinedList) && documentOf(value) === undefined

/** Converts list elements. Elements without a JSON form are passed to `stray`. */
function* plainElements(list: CelList, { path, schema }: ValuePosition, stray: Stray): Steps<Json[]> {
  const items = schema?.type === 'list' ? schema : undefined
  const out: Json[] = []
  for (let i = 0; i < list.size; i++) {
    const item = list.at(i)
    const plain = yield* plainValue(item, { path: path + elementText(items, item, i), schema: items?.items }, stray)
    if (plain !== undefined) out.push(plain)
  }
  return out
}

/** The path element of a list item: its keys for a list of type map, its index otherwise. */
function elementText(list: ListSchema | undefined, item: Value, index: number): string {
  const keys = list?.listType === 'map' && item instanceof StructValue ? (list.listMapKeys ?? []) : []
  const texts = keys.map(key => [key, item instanceof StructValue ? item.fields.get(key) : undefined] as const)
  const known = texts.filter(([, value]) => typeof value === 'string' || (value !== undefined && isInt(value)))
  return known.length === 0
    ? `[${index}]`
    : `[${known.map(([key, value]) => `${key}=${typeof value === 'string' ? JSON.stringify(value) : value}`).join(',')}]`
}

/** Converts a value below a field. Undefined if it is omitted. */
function* plainValue(value: Value, place: ValuePosition, stray: Stray): Steps<Json | undefined> {
  if (isStepDone()) yield
  if (typeof value === 'string' || typeof value === 'boolean' || isInt(value)) return value
  if (value instanceof StructValue) return yield* plainStruct(value, place, stray)
  if (value instanceof JoinedList) return yield* plainElements(value, place, stray)
  if (value instanceof CelDouble && Number.isFinite(value.value)) return value.value
  if (value instanceof CelType) return value.name
  if (value instanceof CelOptional) return value.value === undefined ? null : yield* plainValue(value.value, place, stray)
  const document = documentOf(value)
  if (document !== undefined) return document
  // It may print a long list.
  yield
  return stray(value, place)
}
