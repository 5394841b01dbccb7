import { isJsonObject, type Json, type JsonObject } from '../../api/meta/object.ts'
import { boundMembers } from '../../codec/value-bound.ts'
import { isStepDone, type Steps } from '../../lib/steps.ts'
import { isWide, memberNames, noteMembers } from '../../lib/wide-objects.ts'
import { ownMember, setMember } from '../../meta/equal.ts'
import { cloneInSteps } from '../../meta/whole-floats.ts'
import type { StructSchema } from '../../schema/schema.ts'
import { PatchError } from './error.ts'
import { goPrint, jsonKind, printGoType } from './go-print.ts'
import {
  badArgument,
  badPatchType,
  DIRECTIVE,
  elementKind,
  itemsWithoutDirectives,
  mergeInOrder,
  mergeLists,
  orderMismatch,
  partition,
  shiftedServerList,
  withoutDirectives,
  withoutNullsInPlace,
} from './strategic-list.ts'
import { listField, type PatchType, structField } from './strategic-meta.ts'

/**
 * Patch directives.
 * https://github.com/kubernetes/community/blob/master/contributors/devel/sig-api-machinery/strategic-merge-patch.md
 */
const RETAIN = '$retainKeys'
const DELETE_PREFIX = '$deleteFromPrimitiveList'
const ORDER_PREFIX = '$setElementOrder'

/** Result of a strategic merge patch. */
export interface StrategicPatchResult {
  /** The patched object, not decoded. It may have unknown members and nulls. */
  readonly object: JsonObject
  /**
   * The patch after the merge, which consumes parts of it, in the format of Go's `%v`. Decode errors of the patched
   * object quote it.
   */
  leftOver(): string
}

/**
 * Applies a strategic merge patch as apimachinery's strategicpatch does: lists are merged by the merge keys and
 * strategies of the schema, and by the directives `$patch`, `$retainKeys`, `$setElementOrder/…` and
 * `$deleteFromPrimitiveList/…`. Does not change its arguments. Copying runs in steps, as bodies may be large. Throws a
 * PatchError.
 */
export function* strategicPatch(schema: StructSchema, original: JsonObject, patch: Json): Steps<StrategicPatchResult> {
  if (patch !== null && !isJsonObject(patch))
    throw new PatchError('bad request', `json: cannot unmarshal ${jsonKind(patch)} into Go value of type map[string]interface {}`)
  // The merge changes both copies, as upstream does: errors quote the rest of the patch.
  const rest: JsonObject = yield* cloneInSteps(patch ?? {})
  yield
  const merged = yield* cloneInSteps(original)
  yield
  return { object: yield* mergeMap(merged, rest, { schema, pointer: false }), leftOver: () => goPrint(rest) }
}

/** Merges a patch into the original. Changes both in place, and returns the result. */
function* mergeMap(original: JsonObject, patch: JsonObject, type: PatchType): Steps<JsonObject> {
  const directive = ownMember(patch, DIRECTIVE)
  if (directive !== undefined) return direct(directive, patch)
  retainKeys(original, patch)
  const keys = yield* memberNames(patch)
  if (isWide(patch) || isWide(original)) yield* boundMerge(original, patch, keys)
  noteMembers(original, keys.length)
  for (const key of keys) {
    if (isStepDone()) yield
    if (key.startsWith(ORDER_PREFIX)) yield* mergeOrdered(original, patch, key, type)
  }
  for (const key of keys) {
    if (isStepDone()) yield
    // Ordered lists are merged, and removed from the patch.
    if (Object.hasOwn(patch, key)) yield* mergeMember(original, key, patch[key] ?? null, type)
  }
  return original
}

/** Throws 413 if a patch gives an object too many members. */
function* boundMerge(original: JsonObject, patch: JsonObject, keys: readonly string[]): Steps<void> {
  let added = 0
  for (const key of keys) {
    if (isStepDone()) yield
    if (key.startsWith(ORDER_PREFIX) || key.startsWith(DELETE_PREFIX)) continue
    const isSet = patch[key] !== null
    if (isSet !== Object.hasOwn(original, key)) added += isSet ? 1 : -1
  }
  // Listing the members of the original takes milliseconds.
  if (added > 0) boundMembers((yield* memberNames(original)).length + added)
}

/** Returns the result of a `$patch` directive of an object. Throws a PatchError if it is unknown. */
function direct(directive: Json, patch: JsonObject): JsonObject {
  if (directive === 'replace') {
    delete patch[DIRECTIVE]
    return patch
  }
  if (directive === 'delete') return {}
  throw badPatchType(directive, patch)
}

/**
 * Removes the members that `$retainKeys` does not list. Throws a PatchError if the patch sets a member that is not
 * listed.
 */
function retainKeys(original: JsonObject, patch: JsonObject): void {
  if (!Object.hasOwn(patch, RETAIN)) return
  const named = patch[RETAIN]
  delete patch[RETAIN]
  const malformed = new PatchError('bad request', 'invalid patch format of retainKeys')
  if (!Array.isArray(named)) throw malformed
  const kept = new Set<Json>(named)
  for (const key of Object.keys(patch))
    if (patch[key] !== null && !key.startsWith(DELETE_PREFIX) && !key.startsWith(ORDER_PREFIX) && !kept.has(key)) throw malformed
  for (const key of Object.keys(original)) if (!kept.has(key)) delete original[key]
}

/**
 * Merges the list of a `$setElementOrder/<list>` directive in that order, with the patch's list of the same name.
 * Removes both from the patch.
 */
function* mergeOrdered(original: JsonObject, patch: JsonObject, directive: string, type: PatchType): Steps<void> {
  const order = asList(patch[directive] ?? null)
  delete patch[directive]
  const key = afterPrefix(directive, ORDER_PREFIX, 'invalid patch format of setElementOrder list')
  const live = ownList(original, key)
  const patched = ownList(patch, key)
  const { items, strategy, mergeKey } = listField(type, key)
  // A patch whose own items contradict its order is invalid.
  const mismatch = yield* orderMismatch(patched ?? [], order, mergeKey)
  if (mismatch)
    throw new PatchError(
      'internal',
      `The order in patch list:\n${goPrint(patched)}\n doesn't match ${ORDER_PREFIX} list:\n${goPrint(order)}\n`,
    )
  let merged: Json[]
  if (live && patched)
    merged = strategy === 'merge' ? yield* mergeLists(live, patched, { items, mergeKey, deletes: false, mergeMap }) : patched
  else if (live) merged = live
  else if (patched) merged = yield* itemsWithoutDirectives(patched)
  else return
  const { present, absent } = yield* partition(merged, order, mergeKey)
  const kind = yield* elementKind(live ?? [], patched ?? [])
  const serverOrder = strategy === 'merge' && mergeKey !== '' ? shiftedServerList(live ?? [], patched ?? [], mergeKey) : (live ?? [])
  yield
  setMember(original, key, yield* mergeInOrder({ list: present, order }, { list: absent, order: serverOrder }, mergeKey, kind))
  delete patch[key]
}

/** Sets, merges or deletes one member. `$deleteFromPrimitiveList/<list>` deletes scalars from a list. */
function* mergeMember(original: JsonObject, patchKey: string, value: Json, type: PatchType): Steps<void> {
  const deletes = patchKey.startsWith(DELETE_PREFIX)
  const key = deletes ? afterPrefix(patchKey, DELETE_PREFIX, 'invalid patch format of primitive list') || patchKey : patchKey
  if (value === null) {
    delete original[key]
    return
  }
  const now = ownMember(original, key)
  if (now === undefined || printGoType(now) !== printGoType(value)) {
    if (deletes) return
    if (typeof value === 'object') yield* withoutNullsInPlace(value)
    yield* take(original, key, value)
  } else if (isJsonObject(now) && isJsonObject(value)) {
    const { field, strategy } = structField(type, key)
    setMember(original, key, strategy === 'replace' ? value : yield* mergeMap(now, value, field))
  } else if (Array.isArray(now) && Array.isArray(value)) {
    const { items, strategy, mergeKey } = listField(type, key)
    setMember(
      original,
      key,
      strategy === 'merge' || deletes ? yield* mergeLists(now, value, { items, mergeKey, deletes, mergeMap }) : value,
    )
  } else yield* take(original, key, value)
}

/** Sets a member to a value of the patch without its directives, unless the value is a directive itself. */
function* take(original: JsonObject, key: string, value: Json): Steps<void> {
  const kept = typeof value === 'object' ? yield* withoutDirectives(value) : value
  if (kept === undefined) delete original[key]
  else setMember(original, key, kept)
}

/** A member that must be a list. Undefined if it is absent. Throws a PatchError if it is not a list. */
function ownList(object: JsonObject, key: string): Json[] | undefined {
  const value = ownMember(object, key)
  return value === undefined ? undefined : asList(value)
}

function asList(value: Json): Json[] {
  if (!Array.isArray(value)) throw badArgument('[]interface {}', value)
  return value
}

function afterPrefix(key: string, prefix: string, malformed: string): string {
  const slash = key.indexOf('/')
  if (slash !== prefix.length) throw new PatchError('bad request', malformed)
  return key.slice(slash + 1)
}
