import { isJsonObject, type Json, type JsonObject } from '../../api/meta/object.ts'
import { boundMembers } from '../../codec/value-bound.ts'
import { isStepDone, type Steps } from '../../lib/steps.ts'
import { memberNames, noteCopy, noteMembers } from '../../lib/wide-objects.ts'
import { ownMember, setMember } from '../../meta/equal.ts'
import { cloneExactlyInSteps, copyWholeFloats } from '../../meta/whole-floats.ts'
import { PatchError } from './error.ts'
import { jsonKind } from './go-print.ts'

/**
 * Applies a JSON merge patch (RFC 7386) with upstream's deviations: null deletes a member; a value that does not merge
 * with an object is set without its nulls, except that an array that replaces an object keeps them; a patch that is an
 * array replaces the document. Runs in steps. Throws a PatchError if the patch is null or a scalar.
 * @param decoded collects the objects of the result whose members upstream decodes
 */
export function* mergePatchSteps(doc: JsonObject, patch: Json, decoded = new WeakSet<object>()): Steps<Json> {
  if (Array.isArray(patch)) return yield* withoutNulls(patch, decoded)
  if (!isJsonObject(patch)) throw new PatchError('bad request', 'Invalid JSON Patch')
  return yield* merge(doc, patch, decoded)
}

/** Throws a PatchError if a merge patch is not an object or null. Not called if field validation is `Ignore`. */
export function checkMergePatch(patch: Json): void {
  if (patch !== null && !isJsonObject(patch))
    throw new PatchError(
      'bad request',
      `error decoding patch: json: cannot unmarshal ${jsonKind(patch)} into Go value of type map[string]interface {}`,
    )
}

/** Merges a patch into an object. Returns a new object, which shares unchanged values with `doc`. */
function* merge(doc: JsonObject, patch: JsonObject, decoded: WeakSet<object>): Steps<JsonObject> {
  const out: JsonObject = {}
  decoded.add(out)
  const names = yield* memberNames(doc)
  let count = 0
  for (const key of names) {
    if (isStepDone()) yield
    if (ownMember(patch, key) === null) continue
    setMember(out, key, doc[key])
    count++
  }
  const patched = yield* memberNames(patch)
  for (const key of patched) {
    if (isStepDone()) yield
    const value = patch[key]
    if (value === undefined || value === null) continue
    const now = ownMember(doc, key)
    if (now === undefined) boundMembers(++count, names.length)
    if (isJsonObject(now)) setMember(out, key, yield* isJsonObject(value) ? merge(now, value, decoded) : cloneExactlyInSteps(value))
    else setMember(out, key, typeof value === 'object' ? yield* withoutNulls(value, decoded) : value)
  }
  return copyWholeFloats(patch, noteMembers(out, Math.max(names.length, patched.length)))
}

/**
 * Copies a value without the null members of its objects, at any depth. Nulls in arrays are kept. It does not recurse:
 * bodies may be nested deeper than the stack.
 */
function* withoutNulls(value: Json, decoded: WeakSet<object>): Steps<Json> {
  const left: (() => Steps<void>)[] = []
  const copyOf = (from: Json): Json => {
    if (typeof from !== 'object' || from === null) return from
    if (Array.isArray(from)) {
      const to: Json[] = copyWholeFloats(from, [])
      left.push(function* () {
        for (const item of from) {
          if (isStepDone()) yield
          to.push(copyOf(item))
        }
      })
      return to
    }
    const to: JsonObject = noteCopy(from, copyWholeFloats(from, {}))
    decoded.add(to)
    left.push(function* () {
      for (const key of yield* memberNames(from)) {
        if (isStepDone()) yield
        const member = from[key]
        if (member !== undefined && member !== null) setMember(to, key, copyOf(member))
      }
    })
    return to
  }
  const copy = copyOf(value)
  for (let fill = left.pop(); fill !== undefined; fill = left.pop()) yield* fill()
  return copy
}
