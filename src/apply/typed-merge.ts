import { isJsonObject, type Json, type JsonObject } from '../api/meta/object.ts'
import { boundMembers } from '../codec/value-bound.ts'
import { isStepDone, type Steps } from '../lib/steps.ts'
import { memberNames, noteMembers } from '../lib/wide-objects.ts'
import { setMember } from '../meta/equal.ts'
import type { ListSchema, Schema } from '../schema/schema.ts'
import { fieldElement, type PathElement } from './path-element.ts'
import { type FieldSet, isEmptySet, isMember } from './set-node.ts'
import { asArray, asObject } from './typed.ts'
import { itemElement } from './typed-list.ts'
import { memberSchema, shapeOf, tracksElements } from './typed-schema.ts'

/**
 * Merges a configuration into an object, in steps. Values of the configuration win. List items that are in both have
 * the configuration's order. The result shares unchanged values with the arguments. Throws 413 if an object of the
 * result has too many members, before any that are no longer configured are removed.
 */
export function* mergeTyped(schema: Schema | undefined, live: JsonObject, config: JsonObject): Steps<JsonObject> {
  const merged = yield* merge(schema, live, config)
  return isJsonObject(merged) ? merged : {}
}

/**
 * Merges two values, either of which may be absent. Undefined if the result is. Not a generator itself: each level of
 * nested values is one generator, and resuming takes stack for every level.
 */
function merge(schema: Schema | undefined, live: Json | undefined, config: Json | undefined): Steps<Json | undefined> {
  if (config === undefined) return settled(live)
  if (live === undefined) return settled(config)
  if (tracksElements(schema)) return mergeElements(schema, asArray(live), asArray(config), config)
  switch (shapeOf(schema)) {
    case 'leaf':
    case 'elements':
      return settled(config)
    case 'members':
      return mergeMembers(schema, asObject(live), asObject(config), config)
    case 'any':
      return config === null || asObject(config) ? mergeMembers(undefined, asObject(live), asObject(config), config) : settled(config)
  }
}

// biome-ignore lint/correctness/useYield: the result is there already
function* settled<T>(value: T): Steps<T> {
  return value
}

const NO_NAMES: readonly string[] = []

/**
 * Members of the configuration replace those of the live object; new ones come last. An object that has become empty is
 * undefined, one that was given empty stays.
 */
function* mergeMembers(
  schema: Schema | undefined,
  live: JsonObject | undefined,
  config: JsonObject | undefined,
  given: Json,
): Steps<Json | undefined> {
  const out: JsonObject = {}
  let any = false
  let isBare = true
  const names = live === undefined ? NO_NAMES : yield* memberNames(live)
  for (const name of names) {
    if (isStepDone()) yield
    isBare = false
    const mine = config && Object.hasOwn(config, name) ? config[name] : undefined
    const below = memberSchema(schema, name)
    const merged = mine === undefined ? live?.[name] : shapeOf(below) === 'leaf' ? mine : yield* merge(below, live?.[name], mine)
    if (merged === undefined) continue
    setMember(out, name, merged)
    any = true
  }
  const configured = config === undefined ? NO_NAMES : yield* memberNames(config)
  let count = names.length
  for (const name of configured) {
    if (isStepDone()) yield
    isBare = false
    if (live !== undefined && Object.hasOwn(live, name)) continue
    boundMembers(++count)
    setMember(out, name, config?.[name])
    any = true
  }
  noteMembers(out, Math.max(names.length, configured.length))
  return any ? out : isBare ? given : undefined
}

/** A list item with its path element. */
interface Element {
  readonly element: PathElement
  readonly value: Json
}

function* keyedElements(list: ListSchema, values: readonly Json[]): Steps<Element[]> {
  const elements: Element[] = []
  for (const value of values) {
    if (isStepDone()) yield
    elements.push({ element: itemElement(list, value, elements.length), value })
  }
  return elements
}

/**
 * Merges the items of two lists. Items that are only in the live list keep their places. Items of the configuration
 * keep its order, and each follows the live items that precede it. `given` is the configuration's value, which is the
 * result if both lists are empty. Source: structured-merge-diff's visitListItems.
 */
function* mergeElements(list: ListSchema, live: readonly Json[], config: readonly Json[], given: Json): Steps<Json | undefined> {
  if (live.length === 0 && config.length === 0) return given
  const left = yield* keyedElements(list, live)
  const right = yield* keyedElements(list, config)
  // Items of the configuration replace live items with duplicate keys instead of merging with them.
  const theirs = new Map<PathElement, Json>()
  for (const { element, value } of left) {
    if (isStepDone()) yield
    theirs.set(element, theirs.has(element) ? null : value)
  }
  const mine = new Map<PathElement, Json>()
  const shared: PathElement[] = []
  for (const { element, value } of right) {
    if (isStepDone()) yield
    mine.set(element, value)
    if (theirs.has(element)) shared.push(element)
  }
  const out: Json[] = []
  const done = new Set<PathElement>()
  let at = 0
  // The next item of the configuration that the live list has too.
  let next = shared[at++]
  const take = function* (element: PathElement): Steps<void> {
    done.add(element)
    const merged = yield* merge(list.items, theirs.get(element), mine.get(element))
    if (merged !== undefined) out.push(merged)
  }
  for (let l = 0, r = 0; l < left.length || r < right.length; ) {
    if (isStepDone()) yield
    const ours = left[l]?.element
    const wanted = right[r]?.element
    if (ours !== undefined && wanted !== undefined) {
      if (ours === wanted) {
        yield* take(ours)
        l++
        r++
        next = shared[at++]
        continue
      }
      // The item is elsewhere in the configuration, and is taken there.
      if (mine.has(ours) && next !== undefined && next !== ours) {
        l++
        continue
      }
    }
    if (ours !== undefined) {
      if (!mine.has(ours)) {
        out.push(live[l++] ?? null)
        continue
      }
      if (done.has(ours)) l++
    }
    if (wanted !== undefined) {
      yield* take(wanted)
      r++
      if (next === wanted) next = shared[at++]
    }
  }
  return out.length > 0 ? out : undefined
}

/** Removes the paths of a set from a value, in steps. Objects and lists that are empty afterwards become null. */
export function* removeItems(schema: Schema | undefined, value: Json, items: FieldSet): Steps<Json> {
  const shape = shapeOf(schema)
  if (typeof value !== 'object' || value === null)
    return shape === 'leaf' && value !== null ? value : typeof value === 'object' ? null : value
  if (Array.isArray(value)) {
    if (!tracksElements(schema) || value.length === 0) return null
    const out: Json[] = []
    let i = 0
    for (const item of value) {
      if (isStepDone()) yield
      const below = items[itemElement(schema, item, i++)]
      const kept = below === undefined ? item : yield* removed(schema.items, item, below)
      if (kept !== undefined) out.push(kept)
    }
    return out.length > 0 ? out : null
  }
  if (shape === 'leaf' || shape === 'elements') return null
  const out: JsonObject = {}
  let isEmptied = true
  const names = yield* memberNames(value)
  noteMembers(out, names.length)
  for (const name of names) {
    if (isStepDone()) yield
    const member = value[name]
    if (member === undefined) continue
    const below = items[fieldElement(name)]
    const kept = below === undefined ? member : yield* removed(memberSchema(schema, name), member, below)
    if (kept === undefined) continue
    setMember(out, name, kept)
    isEmptied = false
  }
  return isEmptied ? null : out
}

function* removed(schema: Schema | undefined, value: Json, items: FieldSet): Steps<Json | undefined> {
  if (isMember(items)) return undefined
  return isEmptySet(items) ? value : yield* removeItems(schema, value, items)
}
