import { isJsonObject, type Json, type JsonObject, type KubeObject } from '../../api/meta/object.ts'
import { PatchError } from '../../apply/patch/error.ts'
import { jsonKind } from '../../apply/patch/go-print.ts'
import { checkJsonPatch, jsonPatchSteps } from '../../apply/patch/json.ts'
import { checkMergePatch, mergePatchSteps } from '../../apply/patch/merge.ts'
import { strategicPatch } from '../../apply/patch/strategic.ts'
import { parseTestedLiterals } from '../../apply/patch/tested-literals.ts'
import type { Version } from '../../catalog/definition.ts'
import { decodeBodyInSteps, mergeRepeated } from '../../codec/body.ts'
import { type ParsedJson, parseJsonInSteps, partlySortedJson } from '../../codec/json.ts'
import { JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH } from '../../codec/patch-types.ts'
import { boundJsonInSteps } from '../../codec/value-bound.ts'
import { compareText } from '../../lib/compare-text.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { runInTurns, type Steps } from '../../lib/steps.ts'
import { nextLongTurn, turnIsLong } from '../../lib/turn.ts'
import { invalid } from '../../meta/field-error.ts'
import { fieldPath } from '../../meta/field-path.ts'
import { badRequestError, failure, invalidError, notFoundError, tooLargeError } from '../../meta/status.ts'
import { conversionText } from '../../schema/conversion-fault.ts'
import { DecodeError } from '../../schema/decode.ts'
import type { Literals, Repeated } from '../../schema/diagnose.ts'
import { convertInSteps, versionsOf } from '../conversion/convert.ts'
import { type Decodable, decodeInSteps } from '../decode-object.ts'
import { noteAdded, noteUnknown } from '../note-changes.ts'
import { checkName, ensureNamespace } from '../object-meta.ts'
import type { BuiltIns } from '../other-type.ts'
import { type FieldValidation, groupResourceOf, type RegistryEnvironment, type WriteTarget } from '../types.ts'
import { type BodyTarget, bodyTarget } from './body-target.ts'
import { changeFormOf } from './change-form.ts'
import { decodeConverted } from './decode-converted.ts'
import type { Transform } from './transform.ts'
import { updatedView, viewOf, writeView } from './view.ts'

/** A PATCH other than an apply, of an object, of a subresource of the same kind, or of a view (scale). */
export interface PatchChange {
  readonly kind: 'patch'
  /** Media type of the patch. */
  readonly type: string
  readonly body: Buffer
  /** Optional. The parsed body, if it has been parsed before. */
  readonly parsed?: ParsedJson
  /** Treatment of unknown and repeated fields, in the patch and in the result. */
  readonly fieldValidation: FieldValidation
  /** Built-in kinds that the server serves, for errors of patches that change the type of the object. */
  readonly builtIns: BuiltIns
}

/**
 * Returns the transform that patches an object. The patch is parsed when the object is known to exist: a missing object
 * takes precedence over an invalid patch.
 */
export function patchTransform(env: RegistryEnvironment, target: WriteTarget, change: PatchChange): Transform {
  const { ctx, served } = target
  const view = viewOf(target)
  const body = view?.kind ?? bodyTarget(served.version)
  let parsing: Promise<ParsedPatch> | undefined
  let warned = false
  const run = async (current: KubeObject): Promise<KubeObject> => {
    parsing ??= parsePatch(change)
    const parsed = await parsing
    if (turnIsLong()) await nextLongTurn()
    const patched = await patchValue(body, change.type, parsed, current, ctx.signal)
    if (turnIsLong()) await nextLongTurn()
    const next = await runInTurns(decodePatched({ target, body, change }, parsed, patched, text => warned || ctx.warn(text)))
    warned = true
    ensureNamespace(next.metadata, target.namespace)
    checkName(next, target.name, target.namespace)
    return next
  }
  return async now => {
    if (!now) throw notFoundError(groupResourceOf(served), target.name)
    return view ? writeView(env, view, now, async live => updatedView(env, view, live, await run(live))) : run(now)
  }
}

/** A parsed patch of any type but apply. */
interface ParsedPatch {
  /** Parsed patch: an object, or the list of a JSON patch. */
  readonly value: Json
  /** Whether some numbers are not written as Go writes them (`1.0`). */
  readonly hasFloats: boolean
  /** Literals of a JSON patch with `test` operations. */
  readonly literals?: Literals | undefined
  /** Members of objects of a JSON patch that have repeated ones. */
  readonly repeated?: Repeated | undefined
  /** Errors in the patch itself that a strict decoder reports. */
  readonly faults: readonly string[]
  /** Error of decoding the result if a number does not fit a float64, which was not checked before. */
  readonly overflow?: string
}

const duplicateFault = (path: string): string => `duplicate field "${path}"`

/**
 * Parses a patch. Unless field validation is off, errors in the patch itself are found. Fatal ones are thrown, the
 * others are returned.
 */
async function parsePatch(change: PatchChange): Promise<ParsedPatch> {
  const { type, body, fieldValidation } = change
  const checked = fieldValidation !== 'Ignore'
  let parsed: ParsedJson
  if (!change.parsed) await runInTurns(boundJsonInSteps(body))
  try {
    parsed = change.parsed ?? (await runInTurns(parseJsonInSteps(body)))
  } catch (error) {
    // The library of merge patches hides the error.
    if (!checked && type === MERGE_PATCH) throw badRequestError('Invalid JSON Patch')
    throw badRequestError(`${checked && type !== STRATEGIC_PATCH ? 'error decoding patch: ' : ''}${errorMessage(error)}`)
  }
  const { value, duplicates, literals, tooLarge } = parsed
  const overflow = (target: string): string => `json: cannot unmarshal number ${tooLarge} into Go ${target} of type float64`
  if (type === STRATEGIC_PATCH) {
    if (value !== null && !isJsonObject(value))
      throw badRequestError(`json: cannot unmarshal ${jsonKind(value)} into Go value of type map[string]interface {}`)
    if (tooLarge !== undefined) throw badRequestError(overflow('value'))
    return { value: value ?? {}, hasFloats: false, faults: checked ? duplicates.map(duplicateFault) : [] }
  }
  const hasFloats = literals !== undefined
  const tested = type === JSON_PATCH ? await runInTurns(parseTestedLiterals(body, value)) : undefined
  const noted = { value: tested?.value ?? value, hasFloats, literals: tested?.literals, repeated: (tested ?? parsed).repeated }
  if (!checked) return { ...noted, faults: [], ...(tooLarge !== undefined && { overflow: overflow('value') }) }
  const isReadable = type !== JSON_PATCH || Array.isArray(value)
  if (tooLarge !== undefined && isReadable)
    throw badRequestError(`error decoding patch: ${overflow(type === JSON_PATCH ? 'struct field jsonPatchOp.value' : 'value')}`)
  if (type === JSON_PATCH)
    return {
      ...noted,
      faults: [
        ...(await guard(() => runInTurns(checkJsonPatch(value)))).map(path => `unknown field "${path}"`),
        ...duplicates.map(duplicateFault),
      ].map(fault => `json patch ${fault}`),
    }
  await guard(() => checkMergePatch(value))
  return { value, hasFloats, faults: duplicates.map(duplicateFault) }
}

/** The target of a patch. */
interface Patching {
  readonly target: WriteTarget
  /** Type of the patched object: the version itself, or the kind of a view. */
  readonly body: BodyTarget
  readonly change: PatchChange
}

/** Views have no other versions. */
const NO_VERSIONS: ReadonlyMap<string, Version> = new Map()

/** A patched object in the served version. */
interface DecodedPatch {
  readonly object: KubeObject
  /** Type that the object was decoded as: a patch may name another served version. */
  readonly decodedAs: Decodable
}

/**
 * Decodes a patched object, with its defaults and in the served version. Unknown fields cause warnings or errors by the
 * field validation. Throws 422 with the patched value if it cannot be decoded.
 */
function* decodePatched(
  { target: { ctx, served }, body, change }: Patching,
  patchOf: ParsedPatch,
  { patched, shown }: Patched,
  warn: (text: string) => void,
): Steps<KubeObject> {
  const refused = (why: string) => invalidError({ group: '', kind: '' }, '', [invalid(fieldPath('patch'), shown(), why)])
  const unknown: string[] = []
  const form = changeFormOf(body.schema)
  const { type, fieldValidation, builtIns } = change
  const { why } = ctx
  if (patchOf.overflow !== undefined) throw refused(patchOf.overflow)
  const versions = body.schema === served.version.schema ? versionsOf(served.definition) : NO_VERSIONS
  const about = { builtIns, versions, parent: changeFormOf(served.version.schema), shown }
  const isLookedAt = fieldValidation !== 'Ignore' || why !== undefined
  const note = isLookedAt ? (path: string) => unknown.push(`unknown field "${path}"`) : undefined
  const decode = function* (value: Json): Steps<DecodedPatch> {
    const other = type === STRATEGIC_PATCH ? undefined : form.checkPatched(body, value, about)
    const decodedAs = other ?? body
    if (patchOf.hasFloats) form.checkFloats(decodedAs, value)
    const decoded = yield* (type === STRATEGIC_PATCH ? decodeConverted : decodeInSteps)(decodedAs, value, note)
    return { decodedAs, object: other ? yield* convertInSteps(served.definition, decoded, other, served.version) : decoded }
  }
  let result: DecodedPatch
  try {
    result = yield* decode(
      patchOf.repeated === undefined ? patched : mergeRepeated(body.schema, yield* parseJsonInSteps(Buffer.from(shown()))),
    )
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    if (type === STRATEGIC_PATCH) throw refused(conversionText(body.schema, patched, error.message))
    throw refused(yield* firstFault(decode, shown(), error.message))
  }
  const { object: next, decodedAs } = result
  yield
  // The converter of strategic merge patches sorts unknown fields; decoders report them in order.
  if (type === STRATEGIC_PATCH) unknown.sort(compareText)
  else if (unknown.length > 1 || patchOf.repeated !== undefined)
    unknown.splice(0, unknown.length, ...(yield* faultsInOrder(decodedAs, shown())))
  noteUnknown(why, unknown)
  if (why) noteAdded(why, patched, next)
  const faults = [...patchOf.faults, ...unknown]
  if (faults.length > 0 && fieldValidation !== 'Ignore') {
    if (fieldValidation === 'Strict') throw refused(`strict decoding error: ${faults.join(', ')}`)
    for (const fault of faults) warn(fault)
  }
  form.setPatchedType(body, next)
  return next
}

/**
 * Returns the errors of strict field validation in the text of a patched object, in its order. Values of a JSON patch
 * keep their repeated members.
 */
function* faultsInOrder(target: Decodable, text: string): Steps<readonly string[]> {
  const parsed = yield* parseJsonInSteps(Buffer.from(text))
  if (parsed.repeated !== undefined) return (yield* decodeBodyInSteps(target.schema, parsed)).strict
  const unknown: string[] = []
  yield* decodeInSteps(target, parsed.value, path => unknown.push(`unknown field "${path}"`))
  return unknown
}

/** Returns the error of the first member that cannot be decoded, in the order of the text. Defaults to `found`. */
function* firstFault(decode: (value: Json) => Steps<DecodedPatch>, text: string, found: string): Steps<string> {
  const { value } = yield* parseJsonInSteps(Buffer.from(text))
  try {
    yield* decode(value)
    return found
  } catch (error) {
    if (error instanceof DecodeError) return error.message
    throw error
  }
}

interface Patched {
  /** Patched value before it is decoded. */
  readonly patched: Json
  /** Returns the value that an error about the result quotes. */
  shown(): string
}

/**
 * Applies a patch to the current object. Long patches are applied in turns. Throws a StatusError if it does not apply.
 */
function patchValue(
  body: BodyTarget,
  type: string,
  { value, literals, repeated: given }: ParsedPatch,
  current: JsonObject,
  signal: AbortSignal,
): Promise<Patched> {
  return guard(async () => {
    if (type === STRATEGIC_PATCH) {
      const { object, leftOver } = await runInTurns(strategicPatch(body.schema, current, value), signal)
      return { patched: object, shown: leftOver }
    }
    const decoded = new WeakSet<object>()
    const repeated = type === JSON_PATCH && given ? new Map(given) : undefined
    const patched =
      type === JSON_PATCH
        ? await runInTurns(jsonPatchSteps(current, value, { decoded, literals, repeated }), signal)
        : await runInTurns(mergePatchSteps(current, value, decoded), signal)
    return { patched, shown: () => partlySortedJson(patched, decoded, repeated) }
  })
}

/** Throws the failures of patching as Statuses. */
async function guard<T>(run: () => T | Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof PatchError)) throw error
    switch (error.code) {
      case 'bad request':
        throw badRequestError(error.message)
      case 'unprocessable':
        // Upstream's message hides the cause.
        throw failure(422, 'Invalid', 'the server rejected our request due to an error in our request', {})
      case 'too large':
        throw tooLargeError(error.message)
      case 'internal':
        throw failure(500, '', error.message)
    }
  }
}
