import { ownMember, setMember } from '../../meta/equal.ts'
import type { Json, JsonObject } from '../../meta/object.ts'
import { cloneExactly, copyWholeFloats } from '../../meta/whole-floats.ts'
import { PatchError } from './error.ts'
import { isObject, jsonKind } from './go-print.ts'

/**
 * RFC 7386, as upstream reads it: a null deletes a member; where there was no object, the patch's value is taken without its nulls; an array that takes the
 * place of an object keeps the nulls inside. A patch that is an array replaces the document. Throws a PatchError for null and scalars.
 * @param decoded is told the objects of the result that upstream takes apart
 */
export function applyMergePatch(doc: JsonObject, patch: Json, decoded = new WeakSet<object>()): Json {
  if (Array.isArray(patch)) return withoutNulls(patch, decoded)
  if (!isObject(patch)) throw new PatchError('bad request', 'Invalid JSON Patch')
  return merge(doc, patch, decoded)
}

/** What is refused before a merge patch is applied, unless field validation is `Ignore`. */
export function checkMergePatch(patch: Json): void {
  if (patch !== null && !isObject(patch))
    throw new PatchError('bad request', `error decoding patch: json: cannot unmarshal ${jsonKind(patch)} into Go value of type map[string]interface {}`)
}

function merge(doc: JsonObject, patch: JsonObject, decoded: WeakSet<object>): JsonObject {
  const out: JsonObject = {}
  decoded.add(out)
  for (const key of Object.keys(doc)) if (ownMember(patch, key) !== null) setMember(out, key, doc[key])
  for (const key of Object.keys(patch)) {
    const value = patch[key] as Json
    if (value === null) continue
    const now = ownMember(doc, key)
    if (isObject(now)) setMember(out, key, isObject(value) ? merge(now, value, decoded) : cloneExactly(value))
    else setMember(out, key, withoutNulls(value, decoded))
  }
  return copyWholeFloats(patch, out)
}

/** A copy whose objects, at any depth, have no null member; nulls in arrays stay. */
function withoutNulls(value: Json, decoded: WeakSet<object>): Json {
  if (Array.isArray(value))
    return copyWholeFloats(
      value,
      value.map(item => withoutNulls(item, decoded)),
    )
  if (!isObject(value)) return value
  const out: JsonObject = {}
  decoded.add(out)
  for (const key of Object.keys(value)) if (value[key] !== null) setMember(out, key, withoutNulls(value[key] as Json, decoded))
  return copyWholeFloats(value, out)
}
