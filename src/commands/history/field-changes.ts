import { isJsonObject, type Json, type JsonObject, objectIn } from '../../api/meta/object.ts'
import { sameJson } from '../../meta/same-json.ts'
import { ownsChange } from './owns-change.ts'

/** A field that differs. `from` is undefined if it was added, `to` if it was removed. */
export interface FieldChange {
  /** Path such as `spec.template.spec.containers[web].image`. */
  readonly path: string
  /** Older value. */
  readonly from?: Json
  /** Newer value. */
  readonly to?: Json
}

/** Fields that every update changes. */
const ALWAYS = new Set(['metadata.resourceVersion', 'metadata.managedFields', 'metadata.generation'])
/** Limit for the changes of one update. */
const MOST_CHANGES = 1000
/** Members that identify the items of a list, if they are unique in it. */
const LIST_KEYS = ['name', 'type', 'key', 'uid', 'ip']

/** Values that are nested more deeply are compared as a whole. */
const DEEPEST = 50

/**
 * Returns the fields in which two states of an object differ, in the order of the newer state. For an object that was
 * created or deleted, returns the top-level fields and those of metadata.
 */
export function fieldChanges(from: JsonObject | undefined, to: JsonObject | undefined): FieldChange[] {
  const found: FieldChange[] = []
  for (const change of memberChanges({ path: '', depth: 0 }, from ?? {}, to ?? {})) if (found.push(change) === MOST_CHANGES) break
  return found
}

interface FieldPosition {
  /** Empty for the object itself. */
  readonly path: string
  /** Number of members and items above. */
  readonly depth: number
}

/** Compares two values at a position. Values of different types are one change. */
function* changesAt(place: FieldPosition, from: Json | undefined, to: Json | undefined): Generator<FieldChange, void> {
  const { path, depth } = place
  if (ALWAYS.has(path) || (from !== undefined && to !== undefined && sameJson(from, to))) return
  if (depth < DEEPEST && isJsonObject(from) && isJsonObject(to)) yield* memberChanges(place, from, to)
  else if (path === 'metadata' && from === undefined) yield* memberChanges(place, {}, objectIn(to))
  else if (depth < DEEPEST && Array.isArray(from) && Array.isArray(to)) yield* listChanges(place, from, to)
  else yield { path, ...(from !== undefined && { from }), ...(to !== undefined && { to }) }
}

/** Compares the members of two objects, those of the newer one first. */
function* memberChanges({ path, depth }: FieldPosition, from: JsonObject, to: JsonObject): Generator<FieldChange, void> {
  for (const name of new Set([...Object.keys(to), ...Object.keys(from)]))
    yield* changesAt({ path: memberPath(path, name), depth: depth + 1 }, ownValue(from, name), ownValue(to, name))
}

/** Compares items by a key, or else by position if the lists are equally long. Other lists are one change. */
function* listChanges({ path, depth }: FieldPosition, from: readonly Json[], to: readonly Json[]): Generator<FieldChange, void> {
  const key = LIST_KEYS.find(each => isKeyOf(each, from) && isKeyOf(each, to))
  if (key !== undefined) {
    const [before, after] = [byKey(key, from), byKey(key, to)]
    for (const name of new Set([...after.keys(), ...before.keys()]))
      yield* changesAt({ path: `${path}[${name}]`, depth: depth + 1 }, before.get(name), after.get(name))
  } else if (from.length === to.length && [...from, ...to].every(isJsonObject)) {
    for (const [i, item] of from.entries()) yield* changesAt({ path: `${path}[${i}]`, depth: depth + 1 }, item, to[i])
  } else yield { path, from: [...from], to: [...to] }
}

const ownValue = (object: JsonObject, name: string): Json | undefined => (Object.hasOwn(object, name) ? object[name] : undefined)

/** Appends a member to a path. A name with dots or slashes, such as that of an annotation, is put in brackets. */
const memberPath = (path: string, name: string): string =>
  /^[\w-]+$/.test(name) ? (path === '' ? name : `${path}.${name}`) : `${path}[${JSON.stringify(name)}]`

/** Whether every item is an object with a string in this member, and the strings are distinct. */
function isKeyOf(key: string, items: readonly Json[]): boolean {
  const values = items.map(item => (isJsonObject(item) ? ownValue(item, key) : undefined))
  return values.every(value => typeof value === 'string') && new Set(values).size === values.length
}

const byKey = (key: string, items: readonly Json[]): ReadonlyMap<string, Json> =>
  new Map(items.map(item => [String(objectIn(item)[key]), item]))

/** Members by which an entry is recognized as unchanged. */
const SAME = ['manager', 'operation', 'subresource', 'apiVersion', 'time']

/**
 * A manager that may have made a change, according to the managed fields: one with a new entry or timestamp, otherwise
 * one that owns a changed field.
 */
export interface ChangeAuthor {
  /** Name of the manager, or `unknown`. */
  readonly manager: string
  /** `Apply` or `Update`. Empty if the entry has none. */
  readonly operation: string
  /** Omitted for writes of the object itself. */
  readonly subresource?: string
  /** RFC 3339. Omitted if the entry has none. */
  readonly time?: string
}

/**
 * Returns the managers that probably made a change, from the managed fields before and after it. Empty if the object
 * has none.
 */
export function authorsOf(from: JsonObject | undefined, to: JsonObject | undefined): ChangeAuthor[] {
  const [before, now] = [managedEntries(from), managedEntries(to)]
  // A manager that only lost fields keeps its timestamp.
  const changed = now.filter(entry => !before.some(each => SAME.every(name => ownValue(each, name) === ownValue(entry, name))))
  // Some changes leave no new timestamp: a second one by `scale`, whose entry has none, or one within the same second.
  const owners = changed.length > 0 ? changed : now.filter(({ fieldsV1 }) => ownsChange(fieldsV1, from, to))
  return (owners.length > 0 ? owners : newestOf(now)).map(({ manager, operation, subresource, time }) => ({
    manager: String(manager ?? 'unknown'),
    operation: String(operation ?? ''),
    ...(typeof subresource === 'string' && subresource !== '' && { subresource }),
    ...(typeof time === 'string' && { time }),
  }))
}

/**
 * Returns the entries with the newest timestamp. The fallback if no entry and no owned field has changed, as after two
 * changes of a manager within one second.
 */
function newestOf(entries: readonly JsonObject[]): readonly JsonObject[] {
  const newest = entries
    .map(({ time }) => String(time ?? ''))
    .sort()
    .at(-1)
  return entries.filter(({ time }) => String(time ?? '') === newest)
}

/** Entries of the managed fields. Empty if the object is undefined or has none. */
function managedEntries(object: JsonObject | undefined): JsonObject[] {
  const { managedFields } = objectIn(object?.metadata)
  return Array.isArray(managedFields) ? managedFields.filter(isJsonObject) : []
}
