import { compareText } from '../lib/compare-text.ts'
import { sortFew } from '../lib/sort-few.ts'
import { type Steps, sorted } from '../lib/steps.ts'
import type { Json, JsonObject } from '../meta/object.ts'
import { writeScalar, writeString } from './json-writer.ts'

/** A list or object of which the beginning is written. Many keys are sorted before the first of them is written. */
type Open =
  | { readonly form: 'list'; readonly list: readonly Json[]; next: number }
  | { readonly form: 'object'; readonly object: JsonObject; keys: readonly string[]; isSorted: boolean; next: number }

/** The most keys that are sorted at once. */
const FEW_KEYS = 1024

/** Characters from which on a text is a part. */
const PART_LENGTH = 16 * 1024

/** What `goJson` writes, as parts in order: for values that may be large. A stack instead of recursion, for a generator of each small object would cost more than its text. */
export function* goJsonInSteps(value: Json): Steps<string[]> {
  const parts: string[] = []
  const stack: Open[] = []
  let text = begin(value, stack)
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    if (top.form === 'object' && !top.isSorted) {
      top.keys = yield* sorted(top.keys, compareText)
      top.isSorted = true
    }
    text += top.form === 'list' ? nextItem(top, stack) : nextMember(top, stack)
    if (text.length > PART_LENGTH) {
      parts.push(text)
      text = ''
      yield
    }
  }
  parts.push(text)
  return parts
}

/** All of a scalar; of a list or object the first character, and it is open then. */
function begin(value: Json | undefined, stack: Open[]): string {
  if (typeof value !== 'object' || value === null) return writeScalar(value)
  if (Array.isArray(value)) {
    stack.push({ form: 'list', list: value, next: 0 })
    return '['
  }
  const keys = Object.keys(value).filter(key => value[key] !== undefined)
  const isSorted = keys.length <= FEW_KEYS
  stack.push({ form: 'object', object: value, keys: isSorted ? sortFew(keys, compareText) : keys, isSorted, next: 0 })
  return '{'
}

function nextItem(open: Open & { form: 'list' }, stack: Open[]): string {
  const at = open.next++
  if (at < open.list.length) return (at === 0 ? '' : ',') + begin(open.list[at], stack)
  stack.pop()
  return ']'
}

function nextMember(open: Open & { form: 'object' }, stack: Open[]): string {
  const at = open.next++
  const key = open.keys[at]
  if (key !== undefined) return `${at === 0 ? '' : ','}${writeString(key)}:${begin(open.object[key], stack)}`
  stack.pop()
  return '}'
}
