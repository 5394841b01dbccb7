import type { Json } from '../api/meta/object.ts'
import { isStepDone, type Steps, sortInSteps } from '../lib/steps.ts'
import type { ListSchema } from '../schema/schema.ts'
import { compareElements, compareScalars, keyElement, type PathElement, valueElement } from './path-element.ts'
import { listKeys } from './typed-schema.ts'

/** A list item without a valid key. The managed fields of such an object cannot be updated. */
export class TypedError extends Error {
  override readonly name = 'TypedError'
}

/** An item of a set or a list of type map, or several items with the same path element. */
export interface ListItem {
  readonly element: PathElement
  /** The values of the item's keys in a list of type map, empty if it omits some. The value alone in a set. */
  readonly key: readonly Json[]
  /** The first item with the path element. */
  readonly value: Json
  /** Number of items with the path element. */
  count: number
  /** All items with the path element. Undefined if there is one. */
  all: Json[] | undefined
}

/**
 * The items of a set or a list of type map by path element, in the order of the list. Throws a TypedError if an item
 * has no key.
 */
export function* itemsOf(list: ListSchema, values: readonly Json[]): Steps<Map<PathElement, ListItem>> {
  const items = new Map<PathElement, ListItem>()
  let i = 0
  for (const value of values) {
    if (isStepDone()) yield
    const item = list.listType === 'map' ? keyed(list, value, i) : single(value, i)
    i++
    const known = items.get(item.element)
    if (known === undefined) items.set(item.element, item)
    else {
      known.count++
      known.all ??= [known.value]
      known.all.push(value)
    }
  }
  return items
}

/** The path element of an item of a set or a list of type map. Throws a TypedError if it has no key. */
export const itemElement = (list: ListSchema, value: Json, index: number): PathElement =>
  (list.listType === 'map' ? keyed(list, value, index) : single(value, index)).element

/** The items of `itemsOf`, in the order of their path elements. */
export function* orderedItemsOf(list: ListSchema, values: readonly Json[]): Steps<ListItem[]> {
  const items = [...(yield* itemsOf(list, values)).values()]
  return items.length < 2 ? items : yield* sortInSteps(items, inElementOrder)
}

/**
 * Orders items of one list as `compareElements` orders their path elements, but without parsing those that have all
 * keys.
 */
export const inElementOrder = (a: ListItem, b: ListItem): number => {
  if (a.key.length === 0 || b.key.length === 0) return compareElements(a.element, b.element)
  for (let i = 0; i < a.key.length; i++) {
    const left = a.key[i]
    const right = b.key[i]
    const order = left === undefined || right === undefined ? 0 : compareScalars(left, right)
    if (order !== 0) return order
  }
  return 0
}

const complaint = (index: number, what: string): TypedError => new TypedError(`element ${index}: ${what}`)
const keysComplaint = (index: number, what: string): TypedError => complaint(index, `associative list with keys ${what}`)

/**
 * Returns an item with its keys, of which absent ones have the default of their field. `key` is empty if one is
 * missing. Throws TypedError.
 */
function keyed(list: ListSchema, value: Json, index: number): ListItem {
  if (value === null) throw keysComplaint(index, 'may not have a null element')
  if (typeof value !== 'object' || Array.isArray(value)) throw keysComplaint(index, 'may not have non-map elements')
  const fields: [string, Json][] = []
  const key: Json[] = []
  for (const { name, fallback } of listKeys(list)) {
    const own = Object.hasOwn(value, name) ? value[name] : undefined
    const used = own === undefined ? fallback : own
    if (used !== undefined) {
      fields.push([name, used])
      key.push(used)
    } else if (!list.partialKeys)
      throw keysComplaint(index, `has an element that omits key field ${JSON.stringify(name)} (and doesn't have default value)`)
  }
  if (fields.length === 0) {
    const keys = (list.listMapKeys ?? []).map(name => JSON.stringify(name)).join(' ')
    throw keysComplaint(index, `has an element that omits all key fields [${keys}] (and doesn't have default values for any key fields)`)
  }
  if (fields.length < listKeys(list).length) key.length = 0
  return { element: keyElement(fields), key, value, count: 1, all: undefined }
}

function single(value: Json, index: number): ListItem {
  if (value === null) throw complaint(index, "associative list without keys has an element that's an explicit null")
  if (Array.isArray(value)) throw complaint(index, 'not supported: associative list with lists as elements')
  if (typeof value === 'object') throw complaint(index, "associative list without keys has an element that's a map type")
  return { element: valueElement(value), key: [value], value, count: 1, all: undefined }
}
