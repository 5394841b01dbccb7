import { isStepDone, type Steps, sorted } from '../lib/steps.ts'
import type { Json } from '../meta/object.ts'
import type { ListSchema } from '../schema/schema.ts'
import { compareScalars, keyElement, type PathElement, valueElement } from './path-element.ts'
import { listKeys } from './typed-schema.ts'

/** A value that does not fit its schema: such an object's managed fields cannot be kept. */
export class TypedError extends Error {
  override readonly name = 'TypedError'
}

/** An element of a set or a list of type map, or several that share a path element. */
export interface ListItem {
  readonly element: PathElement
  /** Of a list of type map: the values of its keys. Of a set: the value alone. */
  readonly key: readonly Json[]
  readonly value: Json
  /** How many elements share the path element. */
  count: number
  /** All of them, where there are several. */
  all: Json[] | undefined
}

/** The elements of a set or a list of type map, by path element, in the list's order. Throws a TypedError where an element has no key. */
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

/** The path element of one element of a set or a list of type map. Throws a TypedError where it has no key. */
export const elementOf = (list: ListSchema, value: Json, index: number): PathElement =>
  (list.listType === 'map' ? keyed(list, value, index) : single(value, index)).element

/** The same in the order of their path elements. */
export function* orderedItemsOf(list: ListSchema, values: readonly Json[]): Steps<ListItem[]> {
  const items = [...(yield* itemsOf(list, values)).values()]
  return items.length < 2 ? items : yield* sorted(items, inElementOrder)
}

/** Orders elements of one list as `compareElements` orders their path elements, without parsing those. */
export const inElementOrder = (a: ListItem, b: ListItem): number => {
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

function keyed(list: ListSchema, value: Json, index: number): ListItem {
  if (value === null) throw keysComplaint(index, 'may not have a null element')
  if (typeof value !== 'object' || Array.isArray(value)) throw keysComplaint(index, 'may not have non-map elements')
  const fields: [string, Json][] = []
  const key: Json[] = []
  for (const { name, fallback } of listKeys(list)) {
    const own = Object.hasOwn(value, name) ? value[name] : undefined
    const used = own === undefined ? fallback : own
    if (used === undefined) throw keysComplaint(index, `has an element that omits key field ${JSON.stringify(name)} (and doesn't have default value)`)
    fields.push([name, used])
    key.push(used)
  }
  return { element: keyElement(fields), key, value, count: 1, all: undefined }
}

function single(value: Json, index: number): ListItem {
  if (value === null) throw complaint(index, "associative list without keys has an element that's an explicit null")
  if (Array.isArray(value)) throw complaint(index, 'not supported: associative list with lists as elements')
  if (typeof value === 'object') throw complaint(index, "associative list without keys has an element that's a map type")
  return { element: valueElement(value), key: [value], value, count: 1, all: undefined }
}
