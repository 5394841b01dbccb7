import { isJsonObject, type Json } from '../api/meta/object.ts'
import { isStepDone, type Steps } from '../lib/steps.ts'
import { parseJsonInSteps } from './json.ts'
import { CLOSE_BRACKET, COLON, COMMA, endOfValue, OPEN_BRACE, OPEN_BRACKET, QUOTE } from './json-scan.ts'

const NEWLINE = 0x0a
const EMPTY = Buffer.from('[]')

/**
 * Parses compact JSON written by this program in steps. Items of lists that are members of the root are parsed one by
 * one, at least one step each, because a list can be as large as the store.
 */
export function* parseOwnParts(json: Buffer): Steps<Json> {
  const lists: Buffer[][] = []
  const rest: Buffer[] = []
  let copied = 0
  let at = 1
  const { length } = json
  if (json[0] !== OPEN_BRACE) return (yield* parseJsonInSteps(json)).value
  while (json[at] === QUOTE) {
    at = Math.abs(endOfValue(json, at))
    if (json[at] !== COLON) return (yield* parseJsonInSteps(json)).value
    const from = at + 1
    if (json[from] === OPEN_BRACKET) {
      const items: Buffer[] = []
      at = yield* itemsFrom(json, from + 1, items)
      lists.push(items)
      rest.push(json.subarray(copied, from), EMPTY)
      copied = at
    } else at = Math.abs(endOfValue(json, from))
    if (json[at] === COMMA) at++
    yield
  }
  const end = json[length - 1] === NEWLINE ? length - 1 : length
  rest.push(json.subarray(copied, end))
  const { value } = yield* parseJsonInSteps(Buffer.concat(rest))
  if (!isJsonObject(value)) return value
  for (const list of Object.values(value)) {
    if (!Array.isArray(list)) continue
    for (const item of lists.shift() ?? []) {
      list.push((yield* parseJsonInSteps(item)).value)
      if (item.length > LONG_ITEM || isStepDone()) yield
    }
  }
  return value
}

/** Bytes from which an item is a step of its own. */
const LONG_ITEM = 16 * 1024

/** Adds the items of the list whose first item begins at the offset. Returns the offset of its closing bracket. */
function* itemsFrom(json: Buffer, from: number, items: Buffer[]): Steps<number> {
  let at = from
  while (json[at] !== CLOSE_BRACKET && at < json.length) {
    const end = Math.abs(endOfValue(json, at))
    items.push(json.subarray(at, end))
    if (end - at > LONG_ITEM || isStepDone()) yield
    at = json[end] === COMMA ? end + 1 : end
  }
  return at + 1
}
