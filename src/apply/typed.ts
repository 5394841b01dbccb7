import { compareText } from '../lib/compare-text.ts'
import type { Json, JsonObject } from '../meta/object.ts'
import { sameJson } from '../meta/same-json.ts'
import type { ListSchema, Schema, StructSchema } from '../schema/schema.ts'
import { EMPTY, type FieldSet } from './field-set.ts'
import type { PathElement } from './path-element.ts'
import { inElementOrder, itemsOf, type ListItem } from './typed-list.ts'
import { type Member, memberSchema, membersOf, shapeOf } from './typed-schema.ts'

/** What a change did, by path. */
export interface Comparison {
  readonly added: FieldSet
  readonly modified: FieldSet
  readonly removed: FieldSet
}

/**
 * The difference between two normalised objects of one schema, as structured-merge-diff tells it: what is only in one of them counts with every path below it, what
 * is in both and differs counts at its leaves. Throws a TypedError where a list element has no key.
 */
export function compare(schema: Schema | undefined, old: JsonObject, next: JsonObject): Comparison {
  const delta = compareValues(schema, old, next)
  return { added: delta?.added ?? EMPTY, modified: delta?.modified ?? EMPTY, removed: delta?.removed ?? EMPTY }
}

/** The paths that an applied configuration names. Throws a TypedError where a list element has no key. */
export const toFieldSet = (schema: Schema | undefined, value: JsonObject): FieldSet => configured(schema, value, false) ?? EMPTY

/** The nodes of one path in the three sets; undefined where nothing of the path or below it is in a set. */
interface Delta {
  added?: FieldSet | undefined
  modified?: FieldSet | undefined
  removed?: FieldSet | undefined
}

const MODIFIED: Delta = Object.freeze({ modified: EMPTY })

function compareValues(schema: Schema | undefined, old: Json, next: Json): Delta | undefined {
  if (old === next) return undefined
  switch (shapeOf(schema)) {
    case 'leaf':
      return compareLeaves(old, next)
    case 'elements':
      return isBare(old) && isBare(next) ? compareLeaves(old, next) : compareElements(schema as ListSchema, asArray(old), asArray(next))
    case 'members':
      return compareObjects(schema, old, next)
    case 'any':
      return compareUntyped(old, next)
  }
}

const compareLeaves = (old: Json, next: Json): Delta | undefined => (sameJson(old, next) ? undefined : MODIFIED)
const isBare = (value: Json): boolean => value === null || (Array.isArray(value) ? value.length === 0 : typeof value === 'object' && isBareObject(value))
const asArray = (value: Json): readonly Json[] => (Array.isArray(value) ? value : [])
const asObject = (value: Json): JsonObject | undefined => (typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined)

function isBareObject(value: JsonObject): boolean {
  for (const _ in value) return false
  return true
}

/** Two empty values are leaves, so that null and `{}` differ; otherwise null is as good as `{}`. */
function compareObjects(schema: Schema | undefined, old: Json, next: Json): Delta | undefined {
  if (isBare(old) && isBare(next)) return compareLeaves(old, next)
  return compareMembers(schema, asObject(old) ?? {}, asObject(next) ?? {})
}

/** Without a schema a value's kind decides; a value that changes its kind is modified, and if one of the two is an object, its members come or go. */
function compareUntyped(old: Json, next: Json): Delta | undefined {
  const left = old === null ? {} : asObject(old)
  const right = next === null ? {} : asObject(next)
  if (left && right) return compareObjects(undefined, old, next)
  if (!left && !right) return compareLeaves(old, next)
  const members = left ? compareMembers(undefined, left, {}) : compareMembers(undefined, {}, right as JsonObject)
  return { ...members, modified: EMPTY }
}

function compareMembers(schema: Schema | undefined, old: JsonObject, next: JsonObject): Delta | undefined {
  const nodes = new DeltaNodes()
  const declared = schema?.type === 'struct' ? membersOf(schema) : undefined
  const below = (name: string): Schema | undefined => (declared ? declared.get(name)?.schema : memberSchema(schema, name))
  const element = (name: string): PathElement => declared?.get(name)?.element ?? `f:${name}`
  for (const name in next) {
    const value = next[name] as Json | undefined
    const before = Object.hasOwn(old, name) ? old[name] : undefined
    if (value === undefined || before === value) continue
    if (before === undefined) nodes.addAdded(element(name), wholly(below(name), value))
    else {
      const delta = compareValues(below(name), before, value)
      if (delta !== undefined) nodes.add(element(name), delta)
    }
  }
  for (const name in old) {
    const before = old[name]
    if (before !== undefined && (!Object.hasOwn(next, name) || next[name] === undefined)) nodes.addRemoved(element(name), wholly(below(name), before))
  }
  return nodes.delta(declared ? undefined : compareText)
}

function compareElements(list: ListSchema, old: readonly Json[], next: readonly Json[]): Delta | undefined {
  if (sameJson(old as Json[], next as Json[])) return undefined
  const left = itemsOf(list, old)
  const right = itemsOf(list, next)
  const nodes = new DeltaNodes()
  const visit = (element: PathElement, delta: Delta | undefined): void => {
    if (delta !== undefined) nodes.add(element, delta)
  }
  for (const item of left.values()) visit(item.element, compareItems(list.items, item, right.get(item.element)))
  for (const item of right.values()) if (!left.has(item.element)) visit(item.element, compareItems(list.items, undefined, item))
  return nodes.delta((a, b) => inElementOrder((left.get(a) ?? right.get(a)) as ListItem, (left.get(b) ?? right.get(b)) as ListItem))
}

/** Elements that share a path element are one value; one that was alone and is not any more has gone, and the other way round. */
function compareItems(schema: Schema, old: ListItem | undefined, next: ListItem | undefined): Delta | undefined {
  const before = old?.count ?? 0
  const after = next?.count ?? 0
  if (before <= 1 && after <= 1) {
    if (old === undefined) return { added: wholly(schema, (next as ListItem).value) }
    return next === undefined ? { removed: wholly(schema, old.value) } : compareValues(schema, old.value, next.value)
  }
  if (before >= 2 && after >= 2) return sameJson(old?.all as Json[], next?.all as Json[]) ? undefined : MODIFIED
  if (before >= 2) return { removed: EMPTY, added: next && wholly(schema, next.value) }
  return { added: EMPTY, removed: old && wholly(schema, old.value) }
}

/** The nodes of an object's or list's members in the three sets, gathered in any order. */
class DeltaNodes {
  private added: { [element: PathElement]: FieldSet } | undefined
  private modified: { [element: PathElement]: FieldSet } | undefined
  private removed: { [element: PathElement]: FieldSet } | undefined

  add(element: PathElement, delta: Delta): void {
    if (delta.added !== undefined) this.addAdded(element, delta.added)
    if (delta.removed !== undefined) this.addRemoved(element, delta.removed)
    if (delta.modified !== undefined) {
      this.modified ??= {}
      this.modified[element] = delta.modified
    }
  }

  addAdded(element: PathElement, node: FieldSet): void {
    this.added ??= {}
    this.added[element] = node
  }

  addRemoved(element: PathElement, node: FieldSet): void {
    this.removed ??= {}
    this.removed[element] = node
  }

  delta(order: ((a: PathElement, b: PathElement) => number) | undefined): Delta | undefined {
    if (this.added === undefined && this.modified === undefined && this.removed === undefined) return undefined
    return { added: sorted(this.added, order), modified: sorted(this.modified, order), removed: sorted(this.removed, order) }
  }
}

function sorted(node: { [element: PathElement]: FieldSet } | undefined, order: ((a: PathElement, b: PathElement) => number) | undefined): FieldSet | undefined {
  if (node === undefined) return undefined
  const elements = Object.keys(node)
  if (elements.length < 2) return node
  if (order !== undefined && isSorted(elements, order)) return node
  elements.sort(order)
  const out: { [element: PathElement]: FieldSet } = {}
  for (const element of elements) out[element] = node[element] as FieldSet
  return out
}

/** Members of maps come sorted; to make a wide node anew costs more than to look. */
function isSorted(elements: readonly PathElement[], order: (a: PathElement, b: PathElement) => number): boolean {
  for (let i = 1; i < elements.length; i++) if (order(elements[i - 1] as PathElement, elements[i] as PathElement) > 0) return false
  return true
}

/** The node of a value that only one side has: its path and every path below. */
function wholly(schema: Schema | undefined, value: Json): FieldSet {
  if (typeof value !== 'object' || value === null) return EMPTY
  const shape = shapeOf(schema)
  if (shape === 'leaf') return EMPTY
  if (shape === 'elements') return Array.isArray(value) ? whollyElements(schema as ListSchema, value) : EMPTY
  if (Array.isArray(value)) return EMPTY
  return schema?.type === 'struct' && !schema.preserveUnknown ? whollyStruct(schema, value) : whollyMap(schema, value)
}

function whollyStruct(schema: StructSchema, value: JsonObject): FieldSet {
  const declared = membersOf(schema)
  const present: Member[] = []
  const nodes: FieldSet[] = []
  for (const name in value) {
    const raw = value[name]
    const member = declared.get(name)
    if (member === undefined || raw === undefined) continue
    let at = present.length
    while (at > 0 && (present[at - 1] as Member).rank > member.rank) {
      present[at] = present[at - 1] as Member
      nodes[at] = nodes[at - 1] as FieldSet
      at--
    }
    present[at] = member
    nodes[at] = typeof raw === 'object' ? wholly(member.schema, raw) : EMPTY
  }
  if (present.length === 0) return EMPTY
  const out: { [element: PathElement]: FieldSet } = { '.': EMPTY }
  for (let i = 0; i < present.length; i++) out[(present[i] as Member).element] = nodes[i] as FieldSet
  return out
}

function whollyMap(schema: Schema | undefined, value: JsonObject): FieldSet {
  const names = Object.keys(value).sort(compareText)
  if (names.length === 0) return EMPTY
  const out: { [element: PathElement]: FieldSet } = { '.': EMPTY }
  for (const name of names) {
    const member = value[name]
    if (member !== undefined) out[`f:${name}`] = typeof member === 'object' ? wholly(memberSchema(schema, name), member) : EMPTY
  }
  return out
}

function whollyElements(list: ListSchema, values: readonly Json[]): FieldSet {
  if (values.length === 0) return EMPTY
  const items = [...itemsOf(list, values).values()]
  if (items.length > 1) items.sort(inElementOrder)
  const out: { [element: PathElement]: FieldSet } = { '.': EMPTY }
  for (const item of items) out[item.element] = item.count > 1 ? EMPTY : wholly(list.items, item.value)
  return out
}

/**
 * The node of a value that a configuration names; undefined: no path. Unlike in a comparison, a struct's members are not in the set for what is below them. `itself`: its own path is in the set, too.
 */
function configured(schema: Schema | undefined, value: Json, itself: boolean): FieldSet | undefined {
  const shape = shapeOf(schema)
  if (shape === 'leaf' || typeof value !== 'object') return EMPTY
  const none = itself ? EMPTY : undefined
  if (value === null) return none
  if (shape === 'elements') return (Array.isArray(value) ? configuredElements(schema as ListSchema, value, itself) : undefined) ?? none
  if (Array.isArray(value)) return shape === 'any' ? EMPTY : none
  return configuredMembers(schema, value, itself) ?? none
}

function configuredMembers(schema: Schema | undefined, value: JsonObject, itself: boolean): FieldSet | undefined {
  const out: { [element: PathElement]: FieldSet } = itself ? { '.': EMPTY } : {}
  let size = 0
  for (const name of Object.keys(value).sort(schema?.type === 'struct' ? undefined : compareText)) {
    const member = value[name] as Json | undefined
    if (member === undefined) continue
    const below = memberSchema(schema, name)
    const isDeclared = schema?.type === 'struct' && below !== undefined
    const node = configured(below, member, !isDeclared) ?? (isEmptyValue(member) ? EMPTY : undefined)
    if (node === undefined) continue
    out[`f:${name}`] = node
    size++
  }
  return size > 0 ? out : undefined
}

/** Of a declared member without paths: null and `{}` are in the set all the same. */
const isEmptyValue = (value: Json): boolean => value === null || (!Array.isArray(value) && isBare(value))

function configuredElements(list: ListSchema, values: readonly Json[], itself: boolean): FieldSet | undefined {
  const items = [...itemsOf(list, values).values()].sort(inElementOrder)
  if (items.length === 0) return undefined
  const out: { [element: PathElement]: FieldSet } = itself ? { '.': EMPTY } : {}
  for (const item of items) out[item.element] = item.count > 1 ? EMPTY : (configured(list.items, item.value, true) as FieldSet)
  return out
}
