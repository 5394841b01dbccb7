import { compareText } from '../lib/compare-text.ts'
import { insertByRank } from '../lib/insert-by-rank.ts'
import { sortFew } from '../lib/sort-few.ts'
import { isStepDone, isSteps, type Steps, sorted } from '../lib/steps.ts'
import type { Json, JsonObject } from '../meta/object.ts'
import type { ListSchema, Schema, StructSchema } from '../schema/schema.ts'
import type { PathElement } from './path-element.ts'
import { EMPTY, type FieldSet } from './set-node.ts'
import { orderedItemsOf } from './typed-list.ts'
import { memberSchema, membersOf, shapeOf, tracksElements } from './typed-schema.ts'

/** The paths that an applied configuration names, in steps. Throws a TypedError where a list element has no key. */
export function* toFieldSet(schema: Schema | undefined, value: JsonObject): Steps<FieldSet> {
  const paths = configured(schema, value, false)
  return (isSteps(paths) ? yield* paths : paths) ?? EMPTY
}

/** Null, an empty list or an empty object. */
export const isBare = (value: Json): boolean => value === null || (Array.isArray(value) ? value.length === 0 : typeof value === 'object' && isBareObject(value))

function isBareObject(value: JsonObject): boolean {
  for (const _ in value) return false
  return true
}

const MANY_NAMES = 2048

/** Of an object's members, sorted; undefined: there are so many that sorting takes steps. */
function fewNamesOf(value: JsonObject): string[] | undefined {
  const names = Object.keys(value)
  return names.length < MANY_NAMES ? sortFew(names, compareText) : undefined
}

/**
 * The node of a value that only one side has: its path and every path below, in steps. Undefined: it has none but its own. Most values of an object are
 * such ones, and need no generator.
 */
export function pathsBelow(schema: Schema | undefined, value: Json): Steps<FieldSet> | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const shape = shapeOf(schema)
  if (shape === 'leaf') return undefined
  if (Array.isArray(value)) return tracksElements(schema) ? whollyElements(schema, value) : undefined
  if (shape === 'elements') return undefined
  return schema?.type === 'struct' && !schema.preserveUnknown ? whollyStruct(schema, value) : whollyMap(schema, value)
}

/** The same in steps. */
export function* wholly(schema: Schema | undefined, value: Json): Steps<FieldSet> {
  const below = pathsBelow(schema, value)
  return below === undefined ? EMPTY : yield* below
}

/** A member that is there, with its node. */
interface Present {
  readonly rank: number
  readonly element: PathElement
  readonly node: FieldSet
}

/** Beyond so many members, inserting each at its place takes longer than sorting them. A struct of a custom kind may have tens of thousands. */
const FEW_MEMBERS = 64

function* whollyStruct(schema: StructSchema, value: JsonObject): Steps<FieldSet> {
  const declared = membersOf(schema)
  const present: Present[] = []
  for (const name in value) {
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
  const ordered = present.length < FEW_MEMBERS ? present : yield* sorted(present, (a, b) => a.rank - b.rank)
  for (const { element, node } of ordered) out[element] = node
  return out
}

function* whollyMap(schema: Schema | undefined, value: JsonObject): Steps<FieldSet> {
  const names = fewNamesOf(value) ?? (yield* sorted(Object.keys(value), compareText))
  if (names.length === 0) return EMPTY
  const out: { [element: PathElement]: FieldSet } = { '.': EMPTY }
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
  const out: { [element: PathElement]: FieldSet } = { '.': EMPTY }
  for (const item of yield* orderedItemsOf(list, values)) {
    if (isStepDone()) yield
    const below = item.count > 1 ? undefined : pathsBelow(list.items, item.value)
    out[item.element] = below === undefined ? EMPTY : yield* below
  }
  return out
}

/**
 * The node of a value that a configuration names; undefined: no path. Unlike in a comparison, a struct's members are not in the set for what is below them. `itself`: its own path is in the set, too.
 * At once where nothing is below the value, else in steps.
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

function* configuredMembers(schema: Schema | undefined, value: JsonObject, itself: boolean): Steps<FieldSet | undefined> {
  const out: { [element: PathElement]: FieldSet } = itself ? { '.': EMPTY } : {}
  let size = 0
  for (const name of fewNamesOf(value) ?? (yield* sorted(Object.keys(value), compareText))) {
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

/** Of a declared member without paths: null and `{}` are in the set all the same. */
const isEmptyValue = (value: Json): boolean => value === null || (!Array.isArray(value) && isBare(value))

function* configuredElements(list: ListSchema, values: readonly Json[], itself: boolean): Steps<FieldSet | undefined> {
  const items = yield* orderedItemsOf(list, values)
  if (items.length === 0) return itself ? EMPTY : undefined
  const out: { [element: PathElement]: FieldSet } = itself ? { '.': EMPTY } : {}
  for (const item of items) {
    if (isStepDone()) yield
    const paths = item.count > 1 ? EMPTY : configured(list.items, item.value, true)
    out[item.element] = (isSteps(paths) ? yield* paths : paths) ?? EMPTY
  }
  return out
}
