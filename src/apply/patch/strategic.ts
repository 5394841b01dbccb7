import type { Steps } from '../../lib/steps.ts'
import { ownMember, setMember } from '../../meta/equal.ts'
import { isJsonObject, type Json, type JsonObject } from '../../meta/object.ts'
import { cloneInSteps } from '../../meta/whole-floats.ts'
import type { StructSchema } from '../../schema/schema.ts'
import { PatchError } from './error.ts'
import { goPrint, goType, jsonKind } from './go-print.ts'
import {
  badArgument,
  badPatchType,
  DIRECTIVE,
  elementKind,
  inOrder,
  itemsWithoutDirectives,
  mergeLists,
  orderMismatch,
  partition,
  shiftedServerList,
  withoutDirectives,
  withoutNullsInPlace,
} from './strategic-list.ts'
import { listField, type PatchType, structField } from './strategic-meta.ts'

/** Directives. https://github.com/kubernetes/community/blob/master/contributors/devel/sig-api-machinery/strategic-merge-patch.md */
const RETAIN = '$retainKeys'
const DELETE_PREFIX = '$deleteFromPrimitiveList'
const ORDER_PREFIX = '$setElementOrder'

/** What a strategic merge patch makes. */
export interface StrategicPatchResult {
  readonly object: JsonObject
  /** The patch as the merge has left it, in Go's print: the value that an error about the patched object quotes. */
  leftOver(): string
}

/**
 * Strategic merge patch (apimachinery's strategicpatch): lists merge by the keys that the schema's patch strategies name, and directives (`$patch`,
 * `$retainKeys`, `$setElementOrder/…`, `$deleteFromPrimitiveList/…`) say the rest. The result is not decoded yet: it may hold unknown members and nulls.
 * In steps, for bodies may be large. Throws a PatchError.
 */
export function* strategicPatch(schema: StructSchema, original: JsonObject, patch: Json): Steps<StrategicPatchResult> {
  if (patch !== null && !isJsonObject(patch))
    throw new PatchError('bad request', `json: cannot unmarshal ${jsonKind(patch)} into Go value of type map[string]interface {}`)
  // Both are mutated from here on, as upstream does: what is left of the patch is quoted in errors.
  const rest: JsonObject = yield* cloneInSteps(patch ?? {})
  yield
  const merged = yield* cloneInSteps(original)
  yield
  return { object: mergeMap(merged, rest, { schema, pointer: false }), leftOver: () => goPrint(rest) }
}

/** Lays the patch over the original, both in place, and returns the result. */
function mergeMap(original: JsonObject, patch: JsonObject, type: PatchType): JsonObject {
  const directive = ownMember(patch, DIRECTIVE)
  if (directive !== undefined) return direct(directive, patch)
  retainKeys(original, patch)
  for (const key of Object.keys(patch)) if (key.startsWith(ORDER_PREFIX)) mergeOrdered(original, patch, key, type)
  for (const key of Object.keys(patch)) mergeMember(original, key, patch[key] ?? null, type)
  return original
}

/** What `$patch` says of a whole object. */
function direct(directive: Json, patch: JsonObject): JsonObject {
  if (directive === 'replace') {
    delete patch[DIRECTIVE]
    return patch
  }
  if (directive === 'delete') return {}
  throw badPatchType(directive, patch)
}

/** Drops what `$retainKeys` does not name; everything that the patch sets must be named. */
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

/** Merges the list that `$setElementOrder/<list>` orders, together with the list itself in the patch, and takes both from the patch. */
function mergeOrdered(original: JsonObject, patch: JsonObject, directive: string, type: PatchType): void {
  const order = asList(patch[directive] ?? null)
  delete patch[directive]
  const key = afterPrefix(directive, ORDER_PREFIX, 'invalid patch format of setElementOrder list')
  const live = ownList(original, key)
  const patched = ownList(patch, key)
  const { items, strategy, mergeKey } = listField(type, key)
  // A patch whose own elements contradict the order it asks for is a client's bug.
  const mismatch = orderMismatch(patched ?? [], order, mergeKey)
  if (mismatch) throw new PatchError('internal', `The order in patch list:\n${goPrint(patched)}\n doesn't match ${ORDER_PREFIX} list:\n${goPrint(order)}\n`)
  let merged: Json[]
  if (live && patched) merged = strategy === 'merge' ? mergeLists(live, patched, { items, mergeKey, deletes: false, mergeMap }) : patched
  else if (live) merged = live
  else if (patched) merged = itemsWithoutDirectives(patched)
  else return
  const { present, absent } = partition(merged, order, mergeKey)
  const kind = elementKind(live ?? [], patched ?? [])
  const serverOrder = strategy === 'merge' && mergeKey !== '' ? shiftedServerList(live ?? [], patched ?? [], mergeKey) : (live ?? [])
  setMember(original, key, inOrder({ list: present, order }, { list: absent, order: serverOrder }, mergeKey, kind))
  delete patch[key]
}

/** Sets, merges or deletes one member; `$deleteFromPrimitiveList/<list>` takes scalars from a list. */
function mergeMember(original: JsonObject, patchKey: string, value: Json, type: PatchType): void {
  const deletes = patchKey.startsWith(DELETE_PREFIX)
  const key = deletes ? afterPrefix(patchKey, DELETE_PREFIX, 'invalid patch format of primitive list') || patchKey : patchKey
  if (value === null) {
    delete original[key]
    return
  }
  const now = ownMember(original, key)
  if (now === undefined || goType(now) !== goType(value)) {
    if (deletes) return
    withoutNullsInPlace(value)
    take(original, key, value)
  } else if (isJsonObject(now) && isJsonObject(value)) {
    const { field, strategy } = structField(type, key)
    setMember(original, key, strategy === 'replace' ? value : mergeMap(now, value, field))
  } else if (Array.isArray(now) && Array.isArray(value)) {
    const { items, strategy, mergeKey } = listField(type, key)
    setMember(original, key, strategy === 'merge' || deletes ? mergeLists(now, value, { items, mergeKey, deletes, mergeMap }) : value)
  } else take(original, key, value)
}

/** Sets a member from the patch, unless it is a directive itself. */
function take(original: JsonObject, key: string, value: Json): void {
  const kept = withoutDirectives(value)
  if (kept === undefined) delete original[key]
  else setMember(original, key, kept)
}

/** The list of this name; undefined where there is none. */
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
