import type { Json, JsonObject } from '../api/meta/object.ts'
import { compareText } from '../lib/compare-text.ts'
import { insertByRank } from '../lib/insert-by-rank.ts'
import { sortFew } from '../lib/sort-few.ts'
import { isStepDone, isSteps, type Steps, sortInSteps } from '../lib/steps.ts'
import { isWide, memberNames, namesOf, noteMembers, wideNames } from '../lib/wide-objects.ts'
import type { ListSchema, Schema, StructSchema } from '../schema/schema.ts'
import type { PathElement } from './path-element.ts'
import { EMPTY, type FieldSet } from './set-node.ts'
import { orderedItemsOf } from './typed-list.ts'
import { memberSchema, shapeOf, structMembers, tracksElements } from './typed-schema.ts'

/** Returns the paths of an applied configuration, in steps. Throws a TypedError if a list item has no key. */
export function* toFieldSet(schema: Schema | undefined, value: JsonObject): Steps<FieldSet> {
  const paths = configured(schema, value, false)
  return (isSteps(paths) ? yield* paths : paths) ?? EMPTY
}

/** Whether a value is null, an empty list or an empty object. */
export const isBare = (value: Json): boolean =>
  value === null || (Array.isArray(value) ? value.length === 0 : typeof value === 'object' && isBareObject(value))

function isBareObject(value: JsonObject): boolean {
  if (isWide(value)) return false
  for (const _ in value) return false
  return true
}

/** Number of names from which they are sorted in steps. */
const MANY_NAMES = 2048

/** The names of an object's members, sorted. Runs in steps if they are many. */
function sortedNames(value: JsonObject): string[] | Steps<string[]> {
  if (isWide(value)) return sortedLater(value)
  const names = namesOf(value)
  return names.length < MANY_NAMES ? sortFew(names, compareText) : sortedLater(value, names)
}

/** Lists the names unless the caller has, and sorts them. */
function* sortedLater(value: JsonObject, listed?: readonly string[]): Steps<string[]> {
  const names = listed ?? (yield* wideNames(value))
  yield
  return yield* sortInSteps(names, compareText)
}

/**
 * Returns the node of a value that was added or removed: its own path and all paths below, in steps. Undefined if there
 * are none below. This is so for most values, which then need no generator.
 */
export function pathsBelow(schema: Schema | undefined, value: Json): Steps<FieldSet> | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const shape = shapeOf(schema)
  if (shape === 'leaf') return undefined
  if (Array.isArray(value)) return tracksElements(schema) ? whollyElements(schema, value) : undefined
  if (shape === 'elements') return undefined
  return schema?.type === 'struct' && !schema.preserveUnknown ? whollyStruct(schema, value) : whollyMap(schema, value)
}

/** `pathsBelow` in steps for every value. Returns `EMPTY` if there are no paths below. */
export function* wholly(schema: Schema | undefined, value: Json): Steps<FieldSet> {
  const below = pathsBelow(schema, value)
  return below === undefined ? EMPTY : yield* below
}

/** A member that is set, with its node. */
interface Present {
  readonly rank: number
  readonly element: PathElement
  readonly node: FieldSet
}

/**
 * Number of members from which sorting is faster than inserting each at its rank. A struct of a custom kind may have
 * tens of thousands.
 */
const FEW_MEMBERS = 64

/** Paths of everything that is set, in declared order. Members that the type does not declare have none. */
function* whollyStruct(schema: StructSchema, value: JsonObject): Steps<FieldSet> {
  const declared = structMembers(schema)
  const present: Present[] = []
  for (const name of yield* memberNames(value)) {
    const raw = value[name]
    const member = declared.get(name)
    if (member === undefined || raw === undefined) continue
    if (isStepDone()) yield
    const below = pathsBelow(member.schema, raw)
    const each = { rank: member.rank, element: member.element, node: below === undefined ? EMPTY : yield* below }
    if (present.length < FEW_MEMBERS - 1) insertByRank(present, each)
    else present.push(each)
  }
  if (present.length === 0) return EMPTY
  const out: { [element: PathElement]: FieldSet } = { '.': EMPTY }
  const ordered = present.length < FEW_MEMBERS ? present : yield* sortInSteps(present, (a, b) => a.rank - b.rank)
  noteMembers(out, ordered.length)
  for (const { element, node } of ordered) {
    if (isStepDone()) yield
    out[element] = node
  }
  return out
}

/** Paths of every key, in byte order. */
function* whollyMap(schema: Schema | undefined, value: JsonObject): Steps<FieldSet> {
  const made = sortedNames(value)
  const names = isSteps(made) ? yield* made : made
  if (names.length === 0) return EMPTY
  const out: { [element: PathElement]: FieldSet } = noteMembers({ '.': EMPTY }, names.length)
  for (const name of names) {
    if (isStepDone()) yield
    const member = value[name]
    if (member === undefined) continue
    const below = pathsBelow(memberSchema(schema, name), member)
    out[`f:${name}`] = below === undefined ? EMPTY : yield* below
  }
  return out
}

function* whollyElements(list: ListSchema, values: readonly Json[]): Steps<FieldSet> {
  if (values.length === 0) return EMPTY
  const items = yield* orderedItemsOf(list, values)
  const out: { [element: PathElement]: FieldSet } = noteMembers({ '.': EMPTY }, items.length)
  for (const item of items) {
    if (isStepDone()) yield
    const below = item.count > 1 ? undefined : pathsBelow(list.items, item.value)
    out[item.element] = below === undefined ? EMPTY : yield* below
  }
  return out
}

/**
 * Returns the node of a value in a configuration. Undefined if it has no paths. Unlike in a comparison, the path of a
 * declared struct member is not in the set if there are paths below it. `itself`: whether the value's own path is in
 * the set. Runs in steps if the value has members or items.
 */
function configured(schema: Schema | undefined, value: Json, itself: boolean): FieldSet | undefined | Steps<FieldSet | undefined> {
  const shape = shapeOf(schema)
  if (shape === 'leaf' || typeof value !== 'object') return EMPTY
  const none = itself ? EMPTY : undefined
  if (value === null) return none
  if (tracksElements(schema)) return Array.isArray(value) ? configuredElements(schema, value, itself) : none
  if (Array.isArray(value)) return shape === 'any' ? EMPTY : none
  return configuredMembers(schema, value, itself)
}

/** Undefined if nothing below has a path and `itself` is false: then an applied configuration owns nothing there. */
function* configuredMembers(schema: Schema | undefined, value: JsonObject, itself: boolean): Steps<FieldSet | undefined> {
  const out: { [element: PathElement]: FieldSet } = itself ? { '.': EMPTY } : {}
  let size = 0
  const made = sortedNames(value)
  const names = isSteps(made) ? yield* made : made
  noteMembers(out, names.length)
  for (const name of names) {
    if (isStepDone()) yield
    const member = value[name]
    if (member === undefined) continue
    const below = memberSchema(schema, name)
    const isDeclared = schema?.type === 'struct' && below !== undefined
    const paths = configured(below, member, !isDeclared)
    const node = (isSteps(paths) ? yield* paths : paths) ?? (isEmptyValue(member) ? EMPTY : undefined)
    if (node === undefined) continue
    out[`f:${name}`] = node
    size++
  }
  return size > 0 ? out : itself ? EMPTY : undefined
}

/** Whether a declared member without paths is in the set itself: null and `{}` are. */
const isEmptyValue = (value: Json): boolean => value === null || (!Array.isArray(value) && isBare(value))

function* configuredElements(list: ListSchema, values: readonly Json[], itself: boolean): Steps<FieldSet | undefined> {
  const items = yield* orderedItemsOf(list, values)
  if (items.length === 0) return itself ? EMPTY : undefined
  const out: { [element: PathElement]: FieldSet } = noteMembers(itself ? { '.': EMPTY } : {}, items.length)
  for (const item of items) {
    if (isStepDone()) yield
    const paths = item.count > 1 ? EMPTY : configured(list.items, item.value, true)
    out[item.element] = (isSteps(paths) ? yield* paths : paths) ?? EMPTY
  }
  return out
}
