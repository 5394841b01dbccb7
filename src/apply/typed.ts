import { isJsonObject, type Json, type JsonObject } from '../api/meta/object.ts'
import { compareText } from '../lib/compare-text.ts'
import { sortFew } from '../lib/sort-few.ts'
import { isStepDone, isSteps, runIfSteps, type Steps, sortInSteps } from '../lib/steps.ts'
import { memberNames, noteMembers } from '../lib/wide-objects.ts'
import { hasGivenEmptyInList, hasGivenEmptyInListInSteps } from '../meta/empty-members.ts'
import { sameJsonIfSmall, sameJsonInSteps } from '../meta/same-json.ts'
import type { ListSchema, Schema } from '../schema/schema.ts'
import type { PathElement } from './path-element.ts'
import { EMPTY, type FieldSet } from './set-node.ts'
import { inElementOrder, itemsOf, type ListItem } from './typed-list.ts'
import { isBare, pathsBelow, wholly } from './typed-paths.ts'
import { memberSchema, shapeOf, structMembers, tracksElements } from './typed-schema.ts'

/** Difference of two objects by field path. */
export interface Comparison {
  readonly added: FieldSet
  readonly modified: FieldSet
  readonly removed: FieldSet
}

/**
 * Compares two normalized objects of a schema as structured-merge-diff does, in steps. A value that is in only one of
 * them is added or removed with all paths below it. A value that is in both and differs is modified at its leaves.
 * Throws a TypedError if a list item has no key.
 */
export function* compareObjects(schema: Schema | undefined, old: JsonObject, next: JsonObject): Steps<Comparison> {
  const compared = compareValues(schema, old, next)
  const delta = isSteps(compared) ? yield* compared : compared
  return { added: delta?.added ?? EMPTY, modified: delta?.modified ?? EMPTY, removed: delta?.removed ?? EMPTY }
}

/**
 * The nodes of one path in the three sets. A member is undefined if neither the path nor one below it is in the set.
 */
interface Delta {
  added?: FieldSet | undefined
  modified?: FieldSet | undefined
  removed?: FieldSet | undefined
}

/** Result of a comparison: undefined if the values are equal. */
type Compared = Delta | undefined | Steps<Delta | undefined>

const MODIFIED: Delta = Object.freeze({ modified: EMPTY })

/**
 * Compares two values. Only objects and lists that are not identical need steps. Generators are delegated to directly,
 * so that there is one for each level of depth.
 */
function compareValues(schema: Schema | undefined, old: Json, next: Json): Compared {
  if (old === next) return undefined
  const shape = shapeOf(schema)
  if (shape === 'leaf') return compareLeaves(old, next)
  if (isJsonObject(old) !== isJsonObject(next)) return compareMixed(schema, old, next)
  if (!isJsonObject(old) && isBare(old) && isBare(next)) return compareLeaves(old, next)
  return compareInside(schema, old, next)
}

/**
 * Compares an object with null, a list or a scalar. Both are leaves if they are empty, so that null and `{}` differ.
 */
function* compareMixed(schema: Schema | undefined, old: Json, next: Json): Steps<Delta | undefined> {
  if (isBare(old) && isBare(next)) return MODIFIED
  // Whether a wide object is empty takes milliseconds to find out.
  yield
  return yield* runIfSteps(compareInside(schema, old, next))
}

/** Compares the members of objects or the items of lists. Null equals an empty one. */
function compareInside(schema: Schema | undefined, old: Json, next: Json): Compared {
  if (tracksElements(schema)) return compareElements(schema, asArray(old), asArray(next))
  if (shapeOf(schema) === 'any') return compareUntyped(old, next)
  return compareMembers(schema, asObject(old) ?? {}, asObject(next) ?? {})
}

/** Equality of Go's reflect.DeepEqual, in which nil and empty lists differ. Runs in steps if the values are large. */
function isDeepEqual(old: Json, next: Json): boolean | Steps<boolean> {
  const isEqual = sameJsonIfSmall(old, next)
  return isEqual === undefined ? isSameInSteps(old, next) : isEqual && !hasGivenEmptyInList(next)
}

function* isSameInSteps(old: Json, next: Json): Steps<boolean> {
  yield
  return (yield* sameJsonInSteps(old, next)) && !(yield* hasGivenEmptyInListInSteps(next))
}

function compareLeaves(old: Json, next: Json): Compared {
  const same = isDeepEqual(old, next)
  if (typeof same !== 'boolean') return deltaOf(same)
  return same ? undefined : MODIFIED
}

function* deltaOf(same: Steps<boolean>): Steps<Delta | undefined> {
  return (yield* same) ? undefined : MODIFIED
}

/** The value if it is a list; otherwise an empty list, as for null. */
export const asArray = (value: Json): Json[] => (Array.isArray(value) ? value : [])

/** The value if it is an object; otherwise undefined. */
export const asObject = (value: Json): JsonObject | undefined => (isJsonObject(value) ? value : undefined)

/**
 * Compares values without a schema by their JSON type. A value that changes its type is modified. If one of the two is
 * an object, its members are also added or removed.
 */
function compareUntyped(old: Json, next: Json): Compared {
  const left = old === null ? {} : asObject(old)
  const right = next === null ? {} : asObject(next)
  if (left && right) return compareMembers(undefined, left, right)
  return left || right ? compareKinds(left ?? {}, right ?? {}) : compareLeaves(old, next)
}

function* compareKinds(old: JsonObject, next: JsonObject): Steps<Delta | undefined> {
  const members = yield* compareMembers(undefined, old, next)
  return { ...members, modified: EMPTY }
}

/**
 * Paths of an added or removed member include everything below it; a changed one has those of its parts. Undefined if
 * nothing differs.
 */
function* compareMembers(schema: Schema | undefined, old: JsonObject, next: JsonObject): Steps<Delta | undefined> {
  const nodes = new DeltaNodes()
  const declared = schema?.type === 'struct' ? structMembers(schema) : undefined
  const below = (name: string): Schema | undefined => (declared ? declared.get(name)?.schema : memberSchema(schema, name))
  const element = (name: string): PathElement => declared?.get(name)?.element ?? `f:${name}`
  for (const name of yield* memberNames(next)) {
    if (isStepDone()) yield
    const value = next[name]
    const before = Object.hasOwn(old, name) ? old[name] : undefined
    if (value === undefined || before === value) continue
    if (before === undefined) {
      const paths = pathsBelow(below(name), value)
      nodes.addAdded(element(name), paths === undefined ? EMPTY : yield* paths)
    } else {
      const compared = compareValues(below(name), before, value)
      const delta = isSteps(compared) ? yield* compared : compared
      if (delta !== undefined) nodes.add(element(name), delta)
    }
  }
  for (const name of yield* memberNames(old)) {
    if (isStepDone()) yield
    const before = old[name]
    if (before === undefined || (Object.hasOwn(next, name) && next[name] !== undefined)) continue
    const paths = pathsBelow(below(name), before)
    nodes.addRemoved(element(name), paths === undefined ? EMPTY : yield* paths)
  }
  if (isStepDone()) yield
  const order = declared ? undefined : compareText
  return nodes.isWide ? yield* nodes.deltaInSteps(order ?? byUnits) : nodes.delta(order)
}

/** Items are compared by their keys, so that a changed order alone is no difference. */
function* compareElements(list: ListSchema, old: Json[], next: Json[]): Steps<Delta | undefined> {
  const same = isDeepEqual(old, next)
  if (typeof same === 'boolean' ? same : yield* same) return undefined
  yield
  const left = yield* itemsOf(list, old)
  const right = yield* itemsOf(list, next)
  const nodes = new DeltaNodes()
  for (const item of left.values()) {
    if (isStepDone()) yield
    const delta = yield* compareItems(list.items, item, right.get(item.element))
    if (delta !== undefined) nodes.add(item.element, delta)
  }
  for (const item of right.values()) {
    if (isStepDone()) yield
    if (left.has(item.element)) continue
    const delta = yield* compareItems(list.items, undefined, item)
    if (delta !== undefined) nodes.add(item.element, delta)
  }
  if (isStepDone()) yield
  const itemAt = (element: PathElement): ListItem | undefined => left.get(element) ?? right.get(element)
  return yield* nodes.deltaInSteps((a, b) => {
    const [one, other] = [itemAt(a), itemAt(b)]
    return one && other ? inElementOrder(one, other) : 0
  })
}

/**
 * Compares items of one path element. Items that share it are one value. A single item that gets duplicates is removed,
 * and the duplicates are added, and vice versa.
 */
function* compareItems(schema: Schema, old: ListItem | undefined, next: ListItem | undefined): Steps<Delta | undefined> {
  const before = old?.count ?? 0
  const after = next?.count ?? 0
  if (before <= 1 && after <= 1) {
    if (old === undefined) return next && { added: yield* wholly(schema, next.value) }
    return next === undefined
      ? { removed: yield* wholly(schema, old.value) }
      : yield* runIfSteps(compareValues(schema, old.value, next.value))
  }
  if (before >= 2 && after >= 2) return yield* runIfSteps(compareLeaves(old?.all ?? [], next?.all ?? []))
  if (before >= 2) return { removed: EMPTY, added: next && (yield* wholly(schema, next.value)) }
  return { added: EMPTY, removed: old && (yield* wholly(schema, old.value)) }
}

/** Child nodes by element. */
interface Nodes {
  [element: PathElement]: FieldSet
}

/** Number of nodes from which they are ordered in steps. */
const MANY_NODES = 1024

/** Collects the nodes of an object's members or a list's items in the three sets, in any order. */
class DeltaNodes {
  #added: Nodes | undefined
  #modified: Nodes | undefined
  #removed: Nodes | undefined
  #count = 0

  /** Whether the nodes must be ordered in steps. */
  get isWide(): boolean {
    return this.#count > MANY_NODES
  }

  add(element: PathElement, delta: Delta): void {
    if (delta.added !== undefined) this.addAdded(element, delta.added)
    if (delta.removed !== undefined) this.addRemoved(element, delta.removed)
    if (delta.modified !== undefined) {
      this.#count++
      this.#modified ??= {}
      this.#modified[element] = delta.modified
    }
  }

  addAdded(element: PathElement, node: FieldSet): void {
    this.#count++
    this.#added ??= {}
    this.#added[element] = node
  }

  addRemoved(element: PathElement, node: FieldSet): void {
    this.#count++
    this.#removed ??= {}
    this.#removed[element] = node
  }

  /**
   * Returns the nodes of the object or list, ordered. Undefined if there are none. `order` defaults to that of UTF-16
   * code units.
   */
  delta(order: ((a: PathElement, b: PathElement) => number) | undefined): Delta | undefined {
    if (this.#added === undefined && this.#modified === undefined && this.#removed === undefined) return undefined
    return {
      added: orderElements(this.#added, order),
      modified: orderElements(this.#modified, order),
      removed: orderElements(this.#removed, order),
    }
  }

  /** `delta` in steps, for many nodes. */
  *deltaInSteps(order: (a: PathElement, b: PathElement) => number): Steps<Delta | undefined> {
    if (this.#added === undefined && this.#modified === undefined && this.#removed === undefined) return undefined
    for (const nodes of [this.#added, this.#modified, this.#removed]) if (nodes !== undefined) noteMembers(nodes, this.#count)
    const added = yield* inOrderInSteps(this.#added, order)
    const modified = yield* inOrderInSteps(this.#modified, order)
    return { added, modified, removed: yield* inOrderInSteps(this.#removed, order) }
  }
}

/** Returns the node itself if its elements are in order already, which is the usual case. */
function* inOrderInSteps(node: Nodes | undefined, order: (a: PathElement, b: PathElement) => number): Steps<FieldSet | undefined> {
  if (node === undefined) return undefined
  const elements = yield* memberNames(node)
  if (elements.length < 2) return node
  yield
  const ordered = yield* sortInSteps(elements, order)
  if (ordered.every((element, i) => element === elements[i])) return node
  const out: Nodes = noteMembers({}, ordered.length)
  for (const element of ordered) {
    out[element] = node[element] ?? EMPTY
    if (isStepDone()) yield
  }
  return out
}

function orderElements(node: Nodes | undefined, order: ((a: PathElement, b: PathElement) => number) | undefined): FieldSet | undefined {
  if (node === undefined) return undefined
  const elements = Object.keys(node)
  if (elements.length < 2) return node
  if (order !== undefined && isSorted(elements, order)) return node
  sortFew(elements, order ?? byUnits)
  const out: Nodes = {}
  for (const element of elements) out[element] = node[element] ?? EMPTY
  return out
}

/** Orders elements by UTF-16 code units, as `sort` does. */
const byUnits = (a: PathElement, b: PathElement): number => (a < b ? -1 : a > b ? 1 : 0)

/** Whether elements are sorted. Those of maps usually are, and the check is cheaper than a copy of a wide node. */
function isSorted(elements: readonly PathElement[], order: (a: PathElement, b: PathElement) => number): boolean {
  let before: PathElement | undefined
  for (const element of elements) {
    if (before !== undefined && order(before, element) > 0) return false
    before = element
  }
  return true
}
