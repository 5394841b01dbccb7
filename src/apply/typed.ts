import { compareText } from '../lib/compare-text.ts'
import { sortFew } from '../lib/sort-few.ts'
import { isStepDone, isSteps, resultOf, type Steps, sorted } from '../lib/steps.ts'
import { hasGivenEmptyInList } from '../meta/given-empty.ts'
import { isJsonObject, type Json, type JsonObject } from '../meta/object.ts'
import { sameJson } from '../meta/same-json.ts'
import type { ListSchema, Schema } from '../schema/schema.ts'
import type { PathElement } from './path-element.ts'
import { EMPTY, type FieldSet } from './set-node.ts'
import { inElementOrder, itemsOf, type ListItem } from './typed-list.ts'
import { isBare, pathsBelow, wholly } from './typed-paths.ts'
import { memberSchema, membersOf, shapeOf, tracksElements } from './typed-schema.ts'

/** What a change did, by path. */
export interface Comparison {
  readonly added: FieldSet
  readonly modified: FieldSet
  readonly removed: FieldSet
}

/**
 * The difference between two normalised objects of one schema, as structured-merge-diff defines it: what is only in one of them counts with every path below it, what
 * is in both and differs counts at its leaves. In steps. Throws a TypedError where a list element has no key.
 */
export function* compare(schema: Schema | undefined, old: JsonObject, next: JsonObject): Steps<Comparison> {
  const compared = compareValues(schema, old, next)
  const delta = isSteps(compared) ? yield* compared : compared
  return { added: delta?.added ?? EMPTY, modified: delta?.modified ?? EMPTY, removed: delta?.removed ?? EMPTY }
}

/** The nodes of one path in the three sets; undefined where nothing of the path or below it is in a set. */
interface Delta {
  added?: FieldSet | undefined
  modified?: FieldSet | undefined
  removed?: FieldSet | undefined
}

/** What a comparison finds: at once, or in steps. */
type Compared = Delta | undefined | Steps<Delta | undefined>

const MODIFIED: Delta = Object.freeze({ modified: EMPTY })

/** A value that is no list or object, or equal to the other, is compared at once. Where steps are needed they are those of the members: one generator a level, however deep an object is. */
function compareValues(schema: Schema | undefined, old: Json, next: Json): Compared {
  if (old === next) return undefined
  const shape = shapeOf(schema)
  if (shape === 'leaf' || areBare(old, next)) return compareLeaves(old, next)
  if (tracksElements(schema)) return compareElements(schema, asArray(old), asArray(next))
  if (shape === 'any') return compareUntyped(old, next)
  return compareMembers(schema, asObject(old) ?? {}, asObject(next) ?? {})
}

/** Two empty values are leaves, so that null and `{}` differ; otherwise null is as good as `{}`. Of two objects nobody asks: to find out whether a wide one is empty takes milliseconds. */
const areBare = (old: Json, next: Json): boolean => !(isJsonObject(old) && isJsonObject(next)) && isBare(old) && isBare(next)

/** Lists are the same as in Go's reflect.DeepEqual, to which nil is not empty. */
const isSame = (old: Json, next: Json): boolean => sameJson(old, next) && !hasGivenEmptyInList(next)

const compareLeaves = (old: Json, next: Json): Delta | undefined => (isSame(old, next) ? undefined : MODIFIED)
export const asArray = (value: Json): Json[] => (Array.isArray(value) ? value : [])
export const asObject = (value: Json): JsonObject | undefined => (isJsonObject(value) ? value : undefined)

/** Without a schema a value's kind decides; a value that changes its kind is modified, and if one of the two is an object, its members come or go. */
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

function* compareMembers(schema: Schema | undefined, old: JsonObject, next: JsonObject): Steps<Delta | undefined> {
  const nodes = new DeltaNodes()
  const declared = schema?.type === 'struct' ? membersOf(schema) : undefined
  const below = (name: string): Schema | undefined => (declared ? declared.get(name)?.schema : memberSchema(schema, name))
  const element = (name: string): PathElement => declared?.get(name)?.element ?? `f:${name}`
  for (const name in next) {
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
  for (const name in old) {
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

function* compareElements(list: ListSchema, old: Json[], next: Json[]): Steps<Delta | undefined> {
  if (isSame(old, next)) return undefined
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

/** Elements that share a path element are one value; one that was alone and is not any more has gone, and the other way round. */
function* compareItems(schema: Schema, old: ListItem | undefined, next: ListItem | undefined): Steps<Delta | undefined> {
  const before = old?.count ?? 0
  const after = next?.count ?? 0
  if (before <= 1 && after <= 1) {
    if (old === undefined) return next && { added: yield* wholly(schema, next.value) }
    return next === undefined ? { removed: yield* wholly(schema, old.value) } : yield* resultOf(compareValues(schema, old.value, next.value))
  }
  if (before >= 2 && after >= 2) return isSame(old?.all ?? [], next?.all ?? []) ? undefined : MODIFIED
  if (before >= 2) return { removed: EMPTY, added: next && (yield* wholly(schema, next.value)) }
  return { added: EMPTY, removed: old && (yield* wholly(schema, old.value)) }
}

/** Children of one node, by element. */
interface Nodes {
  [element: PathElement]: FieldSet
}

const MANY_NODES = 1024

/** The nodes of an object's or list's members in the three sets, gathered in any order. */
class DeltaNodes {
  private added: Nodes | undefined
  private modified: Nodes | undefined
  private removed: Nodes | undefined
  private count = 0

  /** Whether ordering the nodes takes steps. */
  get isWide(): boolean {
    return this.count > MANY_NODES
  }

  add(element: PathElement, delta: Delta): void {
    if (delta.added !== undefined) this.addAdded(element, delta.added)
    if (delta.removed !== undefined) this.addRemoved(element, delta.removed)
    if (delta.modified !== undefined) {
      this.count++
      this.modified ??= {}
      this.modified[element] = delta.modified
    }
  }

  addAdded(element: PathElement, node: FieldSet): void {
    this.count++
    this.added ??= {}
    this.added[element] = node
  }

  addRemoved(element: PathElement, node: FieldSet): void {
    this.count++
    this.removed ??= {}
    this.removed[element] = node
  }

  /** The nodes of the container; undefined where nothing was added. `order`: of the elements; undefined: that of their texts. */
  delta(order: ((a: PathElement, b: PathElement) => number) | undefined): Delta | undefined {
    if (this.added === undefined && this.modified === undefined && this.removed === undefined) return undefined
    return { added: inOrder(this.added, order), modified: inOrder(this.modified, order), removed: inOrder(this.removed, order) }
  }

  *deltaInSteps(order: (a: PathElement, b: PathElement) => number): Steps<Delta | undefined> {
    if (this.added === undefined && this.modified === undefined && this.removed === undefined) return undefined
    const added = yield* inOrderInSteps(this.added, order)
    const modified = yield* inOrderInSteps(this.modified, order)
    return { added, modified, removed: yield* inOrderInSteps(this.removed, order) }
  }
}

function* inOrderInSteps(node: Nodes | undefined, order: (a: PathElement, b: PathElement) => number): Steps<FieldSet | undefined> {
  if (node === undefined) return undefined
  const elements = Object.keys(node)
  if (elements.length < 2) return node
  yield
  const ordered = yield* sorted(elements, order)
  if (ordered.every((element, i) => element === elements[i])) return node
  const out: Nodes = {}
  for (const element of ordered) {
    out[element] = node[element] ?? EMPTY
    if (isStepDone()) yield
  }
  return out
}

function inOrder(node: Nodes | undefined, order: ((a: PathElement, b: PathElement) => number) | undefined): FieldSet | undefined {
  if (node === undefined) return undefined
  const elements = Object.keys(node)
  if (elements.length < 2) return node
  if (order !== undefined && isSorted(elements, order)) return node
  sortFew(elements, order ?? byUnits)
  const out: Nodes = {}
  for (const element of elements) out[element] = node[element] ?? EMPTY
  return out
}

/** Names of a struct's members, as `sort` orders texts. */
const byUnits = (a: PathElement, b: PathElement): number => (a < b ? -1 : a > b ? 1 : 0)

/** Members of maps come sorted; to make a wide node anew costs more than to look. */
function isSorted(elements: readonly PathElement[], order: (a: PathElement, b: PathElement) => number): boolean {
  let before: PathElement | undefined
  for (const element of elements) {
    if (before !== undefined && order(before, element) > 0) return false
    before = element
  }
  return true
}
