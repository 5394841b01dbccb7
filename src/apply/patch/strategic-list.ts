import { isJsonObject, type Json, type JsonObject } from '../../api/meta/object.ts'
import { isStepDone, type Steps, sortInSteps } from '../../lib/steps.ts'
import { ownMember, setMember } from '../../meta/equal.ts'
import { PatchError } from './error.ts'
import { goPrint, goPrintString, printGoType } from './go-print.ts'
import { isContainer } from './json-pointer.ts'
import { type PatchType, reflectKind } from './strategic-meta.ts'

/** The member of an object or a list item with its patch directive. */
export const DIRECTIVE = '$patch'

/** Errors with apimachinery's messages. Source: mergepatch/errors.go. */
export const badArgument = (expected: string, actual: Json): PatchError =>
  new PatchError('internal', `expected a ${expected}, but received a ${printGoType(actual)}`)
export const badPatchType = (directive: Json, patch: JsonObject): PatchError =>
  new PatchError('internal', `unknown patch type: ${goPrintString(directive)} in map: ${goPrint(patch)}`)
const noMergeKey = (item: JsonObject, mergeKey: string): PatchError =>
  new PatchError('internal', `map: ${goPrint(item)} does not contain declared merge key: ${mergeKey}`)

/** Merges two objects. It is a parameter of list merges because objects and lists contain each other. */
type MergeMap = (original: JsonObject, patch: JsonObject, type: PatchType) => Steps<JsonObject>

/** How the lists of a field are merged. */
export interface ListMerge {
  readonly items: PatchType
  /** The patch merge key. Empty if the field has none. */
  readonly mergeKey: string
  /** Whether the patch lists scalars to delete (`$deleteFromPrimitiveList`). */
  readonly deletes: boolean
  readonly mergeMap: MergeMap
}

/** Merges two lists of one element type: objects by the merge key, scalars as a set. */
export function* mergeLists(original: Json[], patch: Json[], { items, mergeKey, deletes, mergeMap }: ListMerge): Steps<Json[]> {
  if (original.length === 0 && patch.length === 0) return original
  const kind = yield* elementKind(original, patch)
  const put = function* (merged: Json[], wanted: readonly Json[], server: readonly Json[]): Steps<Json[]> {
    const { present, absent } = yield* partition(merged, wanted, mergeKey)
    return yield* mergeInOrder({ list: present, order: wanted }, { list: absent, order: server }, mergeKey, kind)
  }
  if (kind !== 'map') {
    if (deletes) return yield* without(original, patch)
    return yield* put([...(yield* distinct([original, patch]))], patch, original)
  }
  if (mergeKey === '') throw new PatchError('internal', `cannot merge lists without merge key for ${reflectKind(items)}`)
  const { server, wanted } = withSpecialElements(original.filter(isJsonObject), patch.filter(isJsonObject), mergeKey)
  yield
  return yield* put(yield* mergeByKey(server, wanted, { items, mergeKey, mergeMap }), wanted, server)
}

/** The scalars of lists, each once. */
function* distinct(lists: readonly (readonly Json[])[]): Steps<Set<Json>> {
  const items = new Set<Json>()
  for (const list of lists)
    for (const item of list) {
      if (isStepDone()) yield
      items.add(item)
    }
  return items
}

/** The scalars of a list that another does not have. */
function* without(list: readonly Json[], others: readonly Json[]): Steps<Json[]> {
  const removed = yield* distinct([others])
  const left: Json[] = []
  for (const item of list) {
    if (isStepDone()) yield
    if (!removed.has(item)) left.push(item)
  }
  return left
}

/**
 * Applies the items of a patch that are directives. Returns the list without deleted items and the patch without
 * directives. If the list is replaced, `server` is the patch and `wanted` is empty.
 */
function withSpecialElements(
  original: JsonObject[],
  patch: JsonObject[],
  mergeKey: string,
): { server: JsonObject[]; wanted: JsonObject[] } {
  const gone = new Set<Json | undefined>()
  let replace = false
  const plain: JsonObject[] = []
  for (const element of patch) {
    const directive = ownMember(element, DIRECTIVE)
    if (directive === undefined) plain.push(element)
    else if (directive === 'delete') gone.add(mergeKeyValue(element, mergeKey))
    else if (directive === 'replace') replace = true
    else if (directive === 'merge') throw new PatchError('internal', 'merging lists cannot yet be specified in the patch')
    else throw badPatchType(directive, element)
  }
  if (replace) return { server: plain, wanted: [] }
  const server = gone.size > 0 ? original.filter(item => !Object.hasOwn(item, mergeKey) || !gone.has(item[mergeKey])) : original
  return { server, wanted: plain }
}

/** Merges each item of the patch into the first item with its key, or appends it. */
function* mergeByKey(
  server: JsonObject[],
  patch: JsonObject[],
  { items, mergeKey, mergeMap }: Omit<ListMerge, 'deletes'>,
): Steps<JsonObject[]> {
  const merged = [...server]
  const places = new Map<Json | undefined, number>()
  const place = (item: JsonObject, at: number): void => {
    if (Object.hasOwn(item, mergeKey) && !places.has(item[mergeKey])) places.set(item[mergeKey], at)
  }
  for (const [at, item] of merged.entries()) {
    if (isStepDone()) yield
    place(item, at)
  }
  for (const element of patch) {
    if (isStepDone()) yield
    const at = places.get(mergeKeyValue(element, mergeKey))
    const known = at === undefined ? undefined : merged[at]
    if (at === undefined || known === undefined) place(element, merged.push(element) - 1)
    else merged[at] = yield* mergeMap(known, element, items)
  }
  return merged
}

/** The value of an item's merge key. Throws a PatchError if it has none. */
function mergeKeyValue(item: JsonObject, mergeKey: string): Json {
  const key = ownMember(item, mergeKey)
  if (key === undefined) throw noMergeKey(item, mergeKey)
  return key
}

/** Splits a list into the items that another list has too, by merge key, and the others. */
export function* partition(list: readonly Json[], by: readonly Json[], mergeKey: string): Steps<{ present: Json[]; absent: Json[] }> {
  const present: Json[] = []
  const absent: Json[] = []
  const known = new Set<Json | undefined>()
  if (mergeKey === '' || list.length > 0)
    for (const [i, item] of by.entries()) {
      if (isStepDone()) yield
      known.add(mergeKey === '' ? item : isJsonObject(item) ? item[mergeKey] : notAMap(i))
    }
  for (const item of list) {
    if (isStepDone()) yield
    const key = mergeKey === '' ? item : mergeKeyValue(asMap(item), mergeKey)
    if (known.has(key)) present.push(item)
    else absent.push(item)
  }
  return { present, absent }
}

const notAMap = (index: number): never => {
  throw new PatchError('internal', `value for key ${index} is not a map`)
}

/** Items and the list that defines their order. */
export interface Ordered {
  readonly list: Json[]
  readonly order: readonly Json[]
}

/**
 * Merges the items of the patch, in the patch's order, with the items that only the server has. Each of these comes
 * before the first item of the patch that follows it in the server's list.
 */
export function* mergeInOrder(patch: Ordered, server: Ordered, mergeKey: string, kind: string): Steps<Json[]> {
  const right = yield* sortItems(patch, mergeKey, kind)
  const left = yield* sortItems(server, mergeKey, kind)
  const rank = yield* ranks(server.order, mergeKey, kind)
  const out: Json[] = []
  let i = 0
  for (const item of right) {
    if (isStepDone()) yield
    const limit = rank(item)
    for (let own = left[i]; own !== undefined && limit >= 0; own = left[++i]) {
      if (isStepDone()) yield
      const at = rank(own)
      if (at < 0 || at >= limit) break
      out.push(own)
    }
    out.push(item)
  }
  return out.concat(left.slice(i))
}

/** Sorts by the given order. Items to be deleted come last. Throws if an item of a list of maps has no merge key. */
function* sortItems({ list, order }: Ordered, mergeKey: string, kind: string): Steps<Json[]> {
  let items = list
  let deletions: Json[] = []
  if (kind === 'map') {
    for (const items of [list, order])
      for (const item of items) {
        if (isStepDone()) yield
        mergeKeyValue(asMap(item), mergeKey)
      }
    deletions = list.filter(isDeletion)
    items = list.filter(item => !isDeletion(item))
  }
  const rank = yield* ranks(order, mergeKey, kind)
  let ranked: { readonly item: Json; readonly rank: number }[] = []
  for (const item of items) {
    if (isStepDone()) yield
    ranked.push({ item, rank: rank(item) })
  }
  if (ranked.every(entry => entry.rank >= 0)) ranked = yield* sortInSteps(ranked, (a, b) => a.rank - b.rank)
  // Items that are not in the order come first, and reversed, as upstream's comparison is inconsistent for them.
  else ranked.sort((a, b) => (a.rank >= 0 && b.rank >= 0 ? a.rank - b.rank : a.rank >= 0 ? 1 : -1))
  return [...ranked.map(entry => entry.item), ...deletions]
}

/**
 * Returns the server's list as it is when upstream orders the items. Upstream deletes in place, which shifts the items,
 * and appends items of the patch to the same array, so that they occupy the slots at its end that became free.
 */
export function shiftedServerList(server: readonly Json[], patch: readonly Json[], mergeKey: string): readonly Json[] {
  if (!patch.some(isDeletion)) return server
  const { left, freed } = withoutDeleted(server, patch, mergeKey)
  if (patch.some(item => isJsonObject(item) && item[DIRECTIVE] === 'replace')) return [...left, ...freed]
  const keys = new Set(left.map(item => (isJsonObject(item) ? item[mergeKey] : undefined)))
  const added: Json[] = []
  for (const element of patch) {
    if (added.length === freed.length) break
    if (!isJsonObject(element) || Object.hasOwn(element, DIRECTIVE) || keys.has(element[mergeKey])) continue
    keys.add(element[mergeKey])
    added.push(element)
  }
  return [...left, ...added, ...freed.slice(added.length)]
}

/**
 * Returns the items that deletions leave, and the contents of the freed slots behind them: each deletion leaves a copy
 * of the item that was last at that time.
 */
function withoutDeleted(server: readonly Json[], patch: readonly Json[], mergeKey: string): { left: Json[]; freed: Json[] } {
  const places = new Map<Json | undefined, number[]>()
  server.forEach((item, i) => {
    if (!isJsonObject(item)) return
    const same = places.get(item[mergeKey])
    if (same) same.push(i)
    else places.set(item[mergeKey], [i])
  })
  const gone = new Set<number>()
  const freed: Json[] = []
  let last = server.length - 1
  for (const element of patch) {
    if (!isDeletion(element)) continue
    const key = element[mergeKey]
    for (const place of places.get(key) ?? []) {
      while (gone.has(last)) last--
      freed.push(server[last] ?? null)
      gone.add(place)
    }
    places.delete(key)
  }
  return { left: server.filter((_, i) => !gone.has(i)), freed: freed.reverse() }
}

const isDeletion = (item: Json): item is JsonObject => isJsonObject(item) && item[DIRECTIVE] === 'delete'

/** Returns an item that must be an object. Throws a PatchError if it is not. */
function asMap(item: Json): JsonObject {
  if (!isJsonObject(item)) throw badArgument('map[string]interface {}', item)
  return item
}

/**
 * Returns a function that finds the first index in the order with an item's merge key, or with the item itself for
 * scalars. -1 if there is none.
 */
function* ranks(order: readonly Json[], mergeKey: string, kind: string): Steps<(item: Json) => number> {
  const identity = (item: Json): Json => (kind === 'map' ? (isJsonObject(item) && ownMember(item, mergeKey)) || null : item)
  const known = new Map<Json, number>()
  for (const [i, item] of order.entries()) {
    if (isStepDone()) yield
    const key = identity(item)
    if (!known.has(key)) known.set(key, i)
  }
  return item => known.get(identity(item)) ?? -1
}

/** Whether the items of the patch, without deletions, are not a subsequence of the order that the patch sets. */
export function* orderMismatch(patch: readonly Json[], order: readonly Json[], mergeKey: string): Steps<boolean> {
  if (order.length === 0 || patch.length === 0) return false
  const kept = mergeKey === '' ? patch : patch.filter(item => !isDeletion(asMap(item)))
  let p = 0
  let o = 0
  while (p < kept.length && o < order.length) {
    if (isStepDone()) yield
    const item = kept[p] ?? null
    if (isJsonObject(item) && Object.hasOwn(item, DIRECTIVE)) {
      p++
      continue
    }
    if (sameKey(item, order[o] ?? null, mergeKey)) p++
    o++
  }
  return p < kept.length && o >= order.length
}

function sameKey(left: Json, right: Json, mergeKey: string): boolean {
  if (mergeKey === '') return left === right
  const [one, other] = [asMap(left), asMap(right)]
  return mergeKeyValue(one, mergeKey) === mergeKeyValue(other, mergeKey)
}

/**
 * The type of all items: `map`, or Go's name of a scalar type. Throws a PatchError if they differ or there are none.
 */
export function* elementKind(...lists: readonly (readonly Json[])[]): Steps<string> {
  let type: string | undefined
  for (const list of lists)
    for (const item of list) {
      if (isStepDone()) yield
      const now = printGoType(item)
      if (type === undefined) {
        if (Array.isArray(item)) throw new PatchError('unprocessable', 'lists of lists are not supported')
        type = now
      } else if (type !== now)
        throw new PatchError('internal', `list element types are not identical: ${goPrint(lists.map(each => [...each]))}`)
    }
  if (type === undefined) throw new PatchError('internal', 'no elements in any of the given slices')
  return type.startsWith('map') ? 'map' : type
}

/**
 * Removes directives from a value of the patch, at any depth. Changes objects in place. Undefined if the value is a
 * directive itself. It does not recurse: bodies may be nested deeper than the stack.
 */
export function* withoutDirectives(value: Json): Steps<Json | undefined> {
  if (isDirective(value)) return undefined
  const left: (Json[] | JsonObject)[] = []
  const open = (each: Json): Json => {
    if (typeof each !== 'object' || each === null) return each
    const kept = Array.isArray(each) ? each.filter(item => !isDirective(item)) : each
    left.push(kept)
    return kept
  }
  const out = open(value)
  for (let each = left.pop(); each !== undefined; each = left.pop()) {
    if (isStepDone()) yield
    if (Array.isArray(each)) for (let i = 0; i < each.length; i++) each[i] = open(each[i] ?? null)
    else
      for (const key in each) {
        if (isStepDone()) yield
        const member = each[key] ?? null
        if (isDirective(member)) delete each[key]
        else if (Array.isArray(member)) setMember(each, key, open(member))
        else open(member)
      }
  }
  return out
}

const isDirective = (value: Json): boolean => isJsonObject(value) && Object.hasOwn(value, DIRECTIVE)

/** Removes directives from the items of a list. Returns a copy. */
export function* itemsWithoutDirectives(list: Json[]): Steps<Json[]> {
  const kept = yield* withoutDirectives(list)
  return Array.isArray(kept) ? kept : []
}

/** Deletes null members at any depth, in place. */
export function* withoutNullsInPlace(value: Json): Steps<void> {
  const left: Json[] = [value]
  for (let each = left.pop(); each !== undefined; each = left.pop()) {
    if (isStepDone()) yield
    if (Array.isArray(each)) {
      for (const item of each) if (isContainer(item)) left.push(item)
    } else if (isJsonObject(each))
      for (const key in each) {
        if (isStepDone()) yield
        const member = each[key] ?? null
        if (member === null) delete each[key]
        else if (isContainer(member)) left.push(member)
      }
  }
}
