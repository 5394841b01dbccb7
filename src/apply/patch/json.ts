import { isJsonObject, type Json, type JsonObject } from '../../api/meta/object.ts'
import { goJson } from '../../codec/json.ts'
import { boundMembers } from '../../codec/value-bound.ts'
import { isStepDone, type Steps } from '../../lib/steps.ts'
import { isWide, memberNames, wideNames } from '../../lib/wide-objects.ts'
import { ownMember, setMember } from '../../meta/equal.ts'
import { sameJsonIfSmall, sameJsonInSteps } from '../../meta/same-json.ts'
import { cloneExactlyInSteps, cloneInSteps, setWholeFloat, shiftWholeFloats, wholeFloatAt } from '../../meta/whole-floats.ts'
import type { Literals } from '../../schema/diagnose.ts'
import { PatchError, PatchTestError } from './error.ts'
import { jsonKind } from './go-print.ts'
import {
  additionFault,
  additionIndex,
  type Container,
  elementIndex,
  findPlace,
  indexFault,
  isContainer,
  missingContainer,
  type PointerTarget,
  patchError,
  pointerOf,
} from './json-pointer.ts'

/** Largest number of operations of a patch, as upstream. */
export const MAX_OPERATIONS = 10_000
/** Largest size that the copy operations of a patch may add, in bytes of JSON. */
export const MAX_COPIED_BYTES = 3 * 1024 * 1024

type Operation = JsonObject | null

/**
 * Applies a JSON patch (RFC 6902) with the deviations of kube-apiserver's library: text before the first `/` of a
 * pointer is ignored, indices may be negative, an absent member is null (`replace` sets it, `copy` copies null, `test`
 * compares with null), a missing value is null, and replacing the whole document by a scalar has no effect. Returns a
 * new document, which may share unchanged values with `doc`. Throws a PatchError, `unprocessable` if an operation does
 * not apply, and 413 if an object has got too many members. Each operation is a step. Its cost is bounded by the value
 * that it adds, copies or compares.
 */
export function* jsonPatchSteps(
  doc: JsonObject,
  patch: Json,
  { decoded = new WeakSet(), literals, repeated }: JsonPatchNotes = {},
): Steps<Json> {
  const operations = operationsOf(patch)
  if (operations.length > MAX_OPERATIONS)
    throw new PatchError('too large', `The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${operations.length}`)
  const state: State = { root: yield* cloneInSteps(doc), copied: 0, grown: new Map(), decoded, literals, repeated }
  decoded.add(state.root)
  for (const operation of operations) {
    yield* runOperation(state, operation)
    yield
  }
  // An object that was not wide stays far below the limit, as operations are few.
  for (const [container, added] of state.grown) if (added > 0 && isWide(container)) boundMembers((yield* wideNames(container)).length)
  return state.root
}

/**
 * Validates the form of a JSON patch, unless field validation is `Ignore`. Throws a PatchError if a member has a wrong
 * type. Returns the paths of unknown members (`[0].extra`), which become warnings or errors
 * `json patch unknown field "[0].extra"`.
 */
export function* checkJsonPatch(patch: Json): Steps<string[]> {
  const refuse = (value: Json, target: string): never => {
    throw new PatchError('bad request', `error decoding patch: json: cannot unmarshal ${jsonKind(value)} into Go ${target}`)
  }
  if (patch === null) return []
  if (!Array.isArray(patch)) return refuse(patch, 'value of type []handlers.jsonPatchOp')
  const unknown: string[] = []
  for (const [i, operation] of patch.entries()) {
    yield
    if (operation === null) continue
    if (!isJsonObject(operation)) return refuse(operation, 'value of type handlers.jsonPatchOp')
    for (const [name, value] of Object.entries(operation)) {
      if (name === 'value') continue
      if (name !== 'op' && name !== 'path' && name !== 'from') unknown.push(`[${i}].${name}`)
      else if (value !== null && typeof value !== 'string') return refuse(value, `struct field jsonPatchOp.${name} of type string`)
    }
  }
  return unknown
}

/** Returns the patch. Throws a PatchError if it is not a list of operations. */
export function checkOperations(patch: Json): Json {
  operationsOf(patch)
  return patch
}

/** Returns the operations of a patch. Throws a PatchError if it is not a list of operations. */
function operationsOf(patch: Json): readonly Operation[] {
  if (patch === null) return []
  if (!Array.isArray(patch))
    throw new PatchError('bad request', `json: cannot unmarshal ${jsonKind(patch)} into Go value of type jsonpatch.Patch`)
  return patch.map(operation => {
    if (operation === null || isJsonObject(operation)) return operation
    throw new PatchError('bad request', `json: cannot unmarshal ${jsonKind(operation)} into Go value of type jsonpatch.Operation`)
  })
}

/** State of upstream's library that affects results: it keeps values as text until it needs their members. */
export interface JsonPatchNotes {
  /** Collects the objects of the result whose members the library decodes. */
  readonly decoded?: WeakSet<object>
  /** Values of the patch whose text differs from Go's encoding. `test` compares texts. */
  readonly literals?: Literals | undefined
  /** Members of objects of the patch that have repeated ones. Copies of these objects in the result are added. */
  readonly repeated?: Map<object, Entries> | undefined
}

type Entries = readonly (readonly [string, Json])[]

/** A patch that is being applied. */
interface State {
  root: Container
  /** Bytes that copy operations have added. */
  copied: number
  /** Number of members that were added to each object, less those that were removed. */
  readonly grown: Map<JsonObject, number>
  readonly decoded: WeakSet<object>
  literals: Literals | undefined
  readonly repeated: Map<object, Entries> | undefined
}

/**
 * Throws a PatchError with the text of evanphx/json-patch. Earlier operations stay applied to `state`, which the caller
 * discards.
 */
function* runOperation(state: State, operation: Operation): Steps<void> {
  const op = operation && ownMember(operation, 'op')
  if (operation === null || typeof op !== 'string') throw patchError('Unexpected kind: unknown')
  const value = ownMember(operation, 'value')
  const float = wholeFloatAt(operation, 'value')
  const place = (member: 'path' | 'from'): PointerTarget => findTarget(state, pointerOf(operation, member, op), op, member)
  switch (op) {
    case 'add':
      bring(state, operation)
      addValue(state, place('path'), { value: yield* copyValue(state, value ?? null), float }, `error in add for path: '${operation.path}'`)
      break
    case 'remove':
      remove(state, place('path'), `error in remove for path: '${operation.path}'`)
      break
    case 'replace':
      bring(state, operation)
      replace(state, pointerOf(operation, 'path', op), yield* copyValue(state, value ?? null), float)
      break
    case 'move': {
      // The value is removed first, and `path` is resolved in the document without it.
      const from = place('from')
      const moved = get(from, `error in move for path: '${from.key}'`)
      const movedFloat = floatAt(from)
      remove(state, from, `error in move for path: '${from.key}'`)
      addValue(state, place('path'), { value: moved, float: movedFloat }, `error in move for path: '${operation.path}'`)
      break
    }
    case 'copy': {
      const from = place('from')
      const copied = get(from, `error in copy for from: '${from.path}'`)
      const to = place('path')
      state.copied += yield* jsonSize(copied, MAX_COPIED_BYTES)
      if (state.copied > MAX_COPIED_BYTES)
        throw patchError(
          `Unable to complete the copy, the accumulated size increase of copy is ${state.copied}, exceeding the limit ${MAX_COPIED_BYTES}`,
        )
      const copy = yield* copyValue(state, copied)
      yield* markDecoded(copied, copy, state.decoded)
      addValue(state, to, { value: copy, float: floatAt(from) }, 'error while adding value during copy')
      break
    }
    case 'test':
      yield* test(state, pointerOf(operation, 'path', op), operation)
      break
    default:
      throw patchError(`Unexpected kind: ${op}`)
  }
}

/** Copies a value. Copies of objects with repeated members have them too. */
function* copyValue({ repeated }: State, value: Json): Steps<Json> {
  const copy = yield* cloneExactlyInSteps(value)
  if (repeated !== undefined)
    yield* eachCopy(value, copy, (from, to) => {
      const entries = repeated.get(from)
      if (entries !== undefined) repeated.set(to, entries)
      return true
    })
  return copy
}

/**
 * Marks the objects of a copy whose originals are decoded: the library writes their members in order. An object that is
 * not decoded contains none that are.
 */
const markDecoded = (value: Json, copy: Json, decoded: WeakSet<object>): Steps<void> =>
  eachCopy(value, copy, (from, to) => {
    if (!decoded.has(from)) return false
    decoded.add(to)
    return true
  })

/**
 * Visits the objects and lists of a value with their copies, in steps. If `visit` returns false, those below are
 * skipped.
 */
function* eachCopy(value: Json, copy: Json, visit: (from: Container, to: Container) => boolean): Steps<void> {
  const originals: Json[] = [value]
  const copies: Json[] = [copy]
  for (let from = originals.pop(), to = copies.pop(); from !== undefined && to !== undefined; from = originals.pop(), to = copies.pop()) {
    if (isStepDone()) yield
    if (!isContainer(from) || !isContainer(to) || !visit(from, to)) continue
    for (const key of Array.isArray(from) ? from.keys() : yield* memberNames(from)) {
      if (isStepDone()) yield
      const member = memberAt(from, key)
      if (typeof member !== 'object' || member === null) continue
      originals.push(member)
      copies.push(memberAt(to, key) ?? null)
    }
  }
}

/**
 * Values of the patch keep their text in upstream's document. Only the texts of whole floats are tracked here. Once an
 * operation adds any other such text, later tests compare values only.
 */
function bring(state: State, operation: JsonObject): void {
  if (state.literals !== undefined && bringsTexts(operation, state.literals)) state.literals = undefined
}

const bringsTexts = (value: Container, literals: Literals): boolean =>
  [...(literals.get(value)?.keys() ?? [])].some(key => wholeFloatAt(value, key) === undefined) ||
  Object.values(value).some(member => typeof member === 'object' && member !== null && bringsTexts(member, literals))

/** Resolves a pointer up to its last token. Throws if a container on the path does not exist. */
function findTarget(state: State, path: string, op: string, member: 'path' | 'from' = 'path'): PointerTarget {
  const place = findPlace(state.root, path, container => state.decoded.add(container))
  if (place === undefined) throw patchError(missingContainer(op, member, path))
  return place
}

/** The value at a location. Null for an absent member. Throws for an absent element: `doing` begins the message. */
function get({ container, key }: PointerTarget, doing: string): Json {
  if (!Array.isArray(container)) return ownMember(container, key) ?? null
  const at = elementIndex(container, key)
  if (at === undefined) throw patchError(`${doing}: ${indexFault(key)}`)
  return container[at] ?? null
}

/** The text of a whole float at a location. */
const floatAt = ({ container, key }: PointerTarget): string | undefined =>
  wholeFloatAt(container, Array.isArray(container) ? (elementIndex(container, key) ?? -1) : key)

/** Adds a value without copying it. Takes ownership of it. Throws for an invalid index: `doing` begins the message. */
function addValue(state: State, { container, key }: PointerTarget, { value, float }: TargetValue, doing: string): void {
  if (!Array.isArray(container)) {
    put(state, container, key, value, float)
    return
  }
  const at = additionIndex(container, key)
  if (at === undefined) throw patchError(`${doing}: ${additionFault(key)}`)
  container.splice(at, 0, value)
  shiftWholeFloats(container, at, 1)
  setWholeFloat(container, at, float)
}

/** Removes a member or an element. Throws if there is none: `doing` begins the message. */
function remove({ grown }: State, { container, key }: PointerTarget, doing: string): void {
  if (!Array.isArray(container)) {
    if (!Object.hasOwn(container, key)) throw patchError(`${doing}: Unable to remove nonexistent key: ${key}: missing value`)
    delete container[key]
    grown.set(container, (grown.get(container) ?? 0) - 1)
    setWholeFloat(container, key, undefined)
    return
  }
  const at = elementIndex(container, key)
  if (at === undefined) throw patchError(`${doing}: ${indexFault(key)}`)
  container.splice(at, 1)
  shiftWholeFloats(container, at, -1)
}

/** Replaces a value or the whole document. Takes ownership of `value`. */
function replace(state: State, path: string, value: Json, float: string | undefined): void {
  if (path === '') {
    if (typeof value !== 'object' || value === null) return
    state.root = value
    state.decoded.add(state.root)
    return
  }
  const { container, key } = findTarget(state, path, 'replace')
  if (Array.isArray(container)) {
    const at = elementIndex(container, key)
    if (at === undefined) throw patchError(`replace operation does not apply: doc is missing key: ${path}: missing value`)
    container[at] = value
    setWholeFloat(container, at, float)
  } else put(state, container, key, value, float)
}

function* test(state: State, path: string, operation: JsonObject): Steps<void> {
  const place = path === '' ? undefined : findTarget(state, path, 'test')
  const found = place ? get(place, `error in test for path: '${path}'`) : state.root
  const wanted = ownMember(operation, 'value')
  const isFound = wanted !== undefined && (sameJsonIfSmall(found, wanted) ?? (yield* sameJsonInSteps(found, wanted)))
  const { literals } = state
  if (!isFound || (literals !== undefined && !isWrittenSo({ value: found, float: place && floatAt(place) }, operation, 'value', literals)))
    throw new PatchTestError(`testing value ${path} failed: test failed`)
}

/** A value of the document. `float` is its text if it is a whole float that the patch has added. */
interface TargetValue {
  readonly value: Json
  readonly float: string | undefined
}

/** Whether the text of a value equals that of an equal value in the patch, the member `key` of `of`. */
function isWrittenSo({ value, float }: TargetValue, of: Container, key: string, literals: Literals): boolean {
  if (typeof value !== 'object' || value === null) {
    const literal = literals.get(of)?.get(key)
    // A stored -0.0 is read back as 0.
    return literal === undefined ? float === undefined : literal === (float ?? (value === 0 ? '0' : goJson(value)))
  }
  const wanted = memberAt(of, key)
  if (typeof wanted !== 'object' || wanted === null) return true
  return Object.keys(value).every(name =>
    isWrittenSo({ value: memberAt(value, name) ?? null, float: wholeFloatAt(value, name) }, wanted, name, literals),
  )
}

const memberAt = (container: Container, key: string | number): Json | undefined =>
  Array.isArray(container) ? container[Number(key)] : container[key]

function put({ grown }: State, container: JsonObject, key: string, value: Json, float: string | undefined): void {
  if (!Object.hasOwn(container, key)) grown.set(container, (grown.get(container) ?? 0) + 1)
  setMember(container, key, value)
  setWholeFloat(container, key, float)
}

/** Size of a value as JSON, in bytes and in steps. Stops counting once it exceeds `enough`. */
function* jsonSize(value: Json, enough: number): Steps<number> {
  if (typeof value !== 'object' || value === null) return scalarSize(value)
  let size = 2
  if (Array.isArray(value))
    for (let i = 0; i < value.length && size <= enough; i++) {
      if (isStepDone()) yield
      const item = value[i] ?? null
      size += (typeof item === 'object' && item !== null ? yield* jsonSize(item, enough) : scalarSize(item)) + (i > 0 ? 1 : 0)
    }
  else
    for (const name of yield* memberNames(value)) {
      if (size > enough) break
      if (isStepDone()) yield
      const member = value[name] ?? null
      const own = typeof member === 'object' && member !== null ? yield* jsonSize(member, enough) : scalarSize(member)
      size += Buffer.byteLength(JSON.stringify(name)) + 1 + own + (size > 2 ? 1 : 0)
    }
  return size
}

const scalarSize = (value: null | boolean | number | bigint | string): number =>
  typeof value === 'string' ? Buffer.byteLength(JSON.stringify(value)) : String(value).length
