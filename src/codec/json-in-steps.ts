import type { Json, JsonObject } from '../api/meta/object.ts'
import { compareText } from '../lib/compare-text.ts'
import { sortFew } from '../lib/sort-few.ts'
import { type Steps, sortInSteps } from '../lib/steps.ts'
import { isLongText, textChunks } from '../lib/text-chunks.ts'
import { isWide, namesOf, wideNames } from '../lib/wide-objects.ts'
import { writeScalar, writeString } from '../schema/json-text.ts'
import { orderedFields } from '../schema/members.ts'
import type { Schema, StructSchema } from '../schema/schema.ts'

/** A list, object or long text that is partly written. Many keys are sorted before the first of them is written. */
type Open =
  | { readonly form: 'text'; readonly chunks: Iterator<string> }
  | { readonly form: 'list'; readonly list: readonly Json[]; readonly items: Schema; next: number }
  | {
      readonly form: 'object'
      readonly object: JsonObject
      readonly schema: Schema
      /** Undefined until the names of a wide object are listed. */
      keys: readonly string[] | undefined
      readonly isSorted: boolean
      isBegun: boolean
      next: number
    }

/** Writes a string with its quotes. */
type WriteText = (text: string) => string

/** Limit on the keys that are sorted in one call. */
const FEW_KEYS = 1024

/** A text of at least this many characters is a part of its own. */
const PART_LENGTH = 16 * 1024

/** Schema of values whose members are sorted at every depth. */
const SORTED: Schema = { type: 'json', goType: '' }
/** Schema of values that are written unchanged. */
const RAW: Schema = { type: 'raw', goType: '' }

/**
 * Writes a value that may be large, like `goJson`, or like `writeStruct` if a schema is given. Returns the text in
 * parts. Uses an explicit stack, because a generator for each small object would cost more than its text.
 */
export function* goJsonInSteps(value: Json, schema = SORTED, write: WriteText = writeString): Steps<string[]> {
  const parts: string[] = []
  const stack: Open[] = []
  let text = begin(value, schema, stack, write)
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    if (top.form === 'object' && top.next === 0) {
      top.keys ??= yield* wideNames(top.object)
      if (top.keys.length > FEW_KEYS) {
        yield
        if (!top.isSorted) top.keys = yield* sortInSteps(top.keys, compareText)
      }
    }
    text += nextPart(top, stack, write)
    if (text.length > PART_LENGTH) {
      parts.push(text)
      text = ''
      yield
    }
  }
  parts.push(text)
  return parts
}

/** `rawJson` in steps, for values that may be large. */
export const rawJsonInSteps = (value: Json): Steps<string[]> => goJsonInSteps(value, RAW, text => JSON.stringify(text))

/** Writes the next part of the innermost open value, and removes it from the stack at its end. */
function nextPart(open: Open, stack: Open[], write: WriteText): string {
  switch (open.form) {
    case 'text':
      return nextChunk(open, stack, write)
    case 'list':
      return nextItem(open, stack, write)
    case 'object':
      return nextMember(open, stack, write)
  }
}

/** Writes a scalar, or the first character of a list, object or long text, which it pushes on the stack. */
function begin(value: Json | undefined, schema: Schema, stack: Open[], write: WriteText): string {
  if (typeof value === 'string' && isLongText(value)) {
    stack.push({ form: 'text', chunks: textChunks(value) })
    return '"'
  }
  if (typeof value !== 'object' || value === null) return typeof value === 'string' ? write(value) : writeScalar(value)
  if (Array.isArray(value)) {
    stack.push({ form: 'list', list: value, items: itemsOf(schema), next: 0 })
    return '['
  }
  const own = schema.type === 'union' ? schema.struct : schema
  stack.push({ form: 'object', object: value, schema: own, ...orderedKeys(own, value), isBegun: false, next: 0 })
  return '{'
}

/**
 * Returns the keys in the order of the schema; some may belong to undefined members. Many keys are returned unsorted,
 * to be sorted in steps, and those of a wide object are left to the first step.
 */
function orderedKeys(schema: Schema, value: JsonObject): Pick<Open & { form: 'object' }, 'keys' | 'isSorted'> {
  if (schema.type === 'struct' && !schema.preserveUnknown) return { keys: declaredKeys(schema, value), isSorted: true }
  if (isWide(value)) return { keys: undefined, isSorted: schema.type === 'raw' }
  const keys = namesOf(value)
  if (schema.type === 'raw') return { keys, isSorted: true }
  return keys.length > FEW_KEYS ? { keys, isSorted: false } : { keys: sortFew(keys, compareText), isSorted: true }
}

const declaredKeys = (schema: StructSchema, value: JsonObject): string[] =>
  orderedFields(schema).flatMap(({ name }) => (value[name] === undefined ? [] : [name]))

function itemsOf(schema: Schema): Schema {
  if (schema.type === 'list') return schema.items
  if (schema.type === 'union') return schema.form === 'list' ? schema.struct : RAW
  return schema.type === 'json' ? SORTED : RAW
}

function memberSchema(schema: Schema, key: string): Schema {
  if (schema.type === 'map') return schema.values
  if (schema.type === 'struct') return schema.fields.get(key)?.schema ?? SORTED
  return schema.type === 'json' ? SORTED : RAW
}

function nextChunk({ chunks }: Open & { form: 'text' }, stack: Open[], write: WriteText): string {
  const { done, value } = chunks.next()
  if (!done) return write(value).slice(1, -1)
  stack.pop()
  return '"'
}

function nextItem(open: Open & { form: 'list' }, stack: Open[], write: WriteText): string {
  const at = open.next++
  if (at < open.list.length) return (at === 0 ? '' : ',') + begin(open.list[at], open.items, stack, write)
  stack.pop()
  return ']'
}

/** Returns an empty text for a member that is undefined, which is omitted. */
function nextMember(open: Open & { form: 'object' }, stack: Open[], write: WriteText): string {
  const key = open.keys?.[open.next++]
  if (key === undefined) {
    stack.pop()
    return '}'
  }
  const value = open.object[key]
  if (value === undefined) return ''
  const comma = open.isBegun ? ',' : ''
  open.isBegun = true
  return `${comma}${write(key)}:${begin(value, memberSchema(open.schema, key), stack, write)}`
}
