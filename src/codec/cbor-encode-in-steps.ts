import type { Json, JsonObject } from '../api/meta/object.ts'
import { compareText } from '../lib/compare-text.ts'
import { isLongStepDone, isStepDone, type Steps, sortInSteps } from '../lib/steps.ts'
import { memberNames } from '../lib/wide-objects.ts'
import { hasFewValues } from '../meta/few-values.ts'
import type { Schema, StructSchema } from '../schema/schema.ts'
import { type CborMember, encodeCbor, presentMembers, sortKeys, writeBy } from './cbor-encode.ts'
import { ARRAY, CborOutput, MAP } from './cbor-output.ts'

/** A list or object that is partly written. The members of an object are those of a struct, or keys in order. */
type PartlyWritten =
  | { readonly form: 'list'; readonly list: readonly Json[]; readonly items: Schema; next: number }
  | { readonly form: 'struct'; readonly object: JsonObject; readonly members: readonly CborMember[]; next: number }
  | { readonly form: 'map'; readonly object: JsonObject; readonly keys: readonly string[]; readonly schema: Schema; next: number }

/** Values that are written in one call. */
const FEW_VALUES = 512

/** Schema of values whose members have no declared types. */
const ANY: Schema = { type: 'json', goType: '' }

/** Like `encodeCbor`, in steps, for objects that may be large. */
export function* encodeCborInSteps(schema: StructSchema, object: JsonObject, typed = true): Steps<Buffer> {
  if (hasFewValues(object, FEW_VALUES)) return encodeCbor(schema, object, typed)
  const out = new CborOutput()
  const isOpen = schema.form.name === 'unstructured' || schema.preserveUnknown === true
  const stack: PartlyWritten[] = [
    isOpen ? yield* openMap(out, schema.form.name === 'unstructured' ? ANY : schema, object) : openStruct(out, schema, object, typed),
  ]
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const next = nextValue(out, top)
    if (next === undefined) stack.pop()
    else if (typeof next.value !== 'object' || next.value === null) writeBy(out, next.schema, next.value)
    else if (hasFewValues(next.value, FEW_VALUES)) {
      writeBy(out, next.schema, next.value)
      if (isLongStepDone()) yield
    } else stack.push(yield* begin(out, next.schema, next.value))
    if (isStepDone()) yield
  }
  return out.take()
}

/** Writes the key of the next value, if it has one, and returns the value. Undefined at the end. */
function nextValue(out: CborOutput, open: PartlyWritten): { readonly schema: Schema; readonly value: Json | undefined } | undefined {
  const at = open.next++
  if (open.form === 'list') return at < open.list.length ? { schema: open.items, value: open.list[at] } : undefined
  if (open.form === 'struct') {
    const member = open.members[at]
    if (member === undefined) return undefined
    out.encoded(member.key)
    return { schema: member.schema, value: open.object[member.name] }
  }
  const key = open.keys[at]
  if (key === undefined) return undefined
  out.text(key)
  return { schema: valueSchema(open.schema, key), value: open.object[key] }
}

function* begin(out: CborOutput, schema: Schema, value: JsonObject | readonly Json[]): Steps<PartlyWritten> {
  if (isCborList(value)) {
    out.head(ARRAY, value.length)
    return { form: 'list', list: value, items: elementSchema(schema), next: 0 }
  }
  const own = schema.type === 'union' ? schema.struct : schema
  if (own.type !== 'struct' || (own.preserveUnknown && schema.type !== 'union')) return yield* openMap(out, own, value)
  return openStruct(out, own, value, true)
}

const isCborList = (value: JsonObject | readonly Json[]): value is readonly Json[] => Array.isArray(value)

function openStruct(out: CborOutput, schema: StructSchema, object: JsonObject, typed: boolean): PartlyWritten {
  const members = presentMembers(schema, object, typed)
  out.head(MAP, members.length)
  return { form: 'struct', object, members, next: 0 }
}

function* openMap(out: CborOutput, schema: Schema, object: JsonObject): Steps<PartlyWritten> {
  const names = yield* memberNames(object)
  const keys = yield* sortKeysInSteps(schema.type === 'map' ? names : yield* presentIn(object, names))
  out.head(MAP, keys.length)
  return { form: 'map', object, keys, schema, next: 0 }
}

function* presentIn(object: JsonObject, names: readonly string[]): Steps<string[]> {
  const present: string[] = []
  for (const name of names) {
    if (object[name] !== undefined) present.push(name)
    if (isStepDone()) yield
  }
  return present
}

/** `sortKeys` in steps. */
function* sortKeysInSteps(keys: string[]): Steps<readonly string[]> {
  if (keys.length <= FEW_VALUES) return sortKeys(keys)
  const byLength = new Map<number, string[]>()
  for (const key of yield* sortInSteps(keys, compareText)) {
    const length = Buffer.byteLength(key)
    const same = byLength.get(length)
    if (same) same.push(key)
    else byLength.set(length, [key])
    if (isStepDone()) yield
  }
  return [...byLength.keys()].sort((a, b) => a - b).flatMap(length => byLength.get(length) ?? [])
}

function elementSchema(schema: Schema): Schema {
  if (schema.type === 'list') return schema.items
  return schema.type === 'union' && schema.form === 'list' ? schema.struct : ANY
}

function valueSchema(schema: Schema, key: string): Schema {
  if (schema.type === 'map') return schema.values
  return (schema.type === 'struct' ? schema.fields.get(key)?.schema : undefined) ?? ANY
}
