import { PatchError } from '../apply/patch/error.ts'
import { jsonKind } from '../apply/patch/go-print.ts'
import { checkJsonPatch, jsonPatchSteps } from '../apply/patch/json.ts'
import { checkMergePatch, mergePatchSteps } from '../apply/patch/merge.ts'
import { strategicPatch } from '../apply/patch/strategic.ts'
import type { Version } from '../catalog/definition.ts'
import { type ParsedJson, parseExactlyInSteps, parseJsonInSteps, partlySortedJson } from '../codec/json.ts'
import { CBOR_TYPE } from '../codec/negotiate.ts'
import { boundJsonValues } from '../codec/value-bound.ts'
import { compareText } from '../lib/compare-text.ts'
import { errorMessage } from '../lib/error-message.ts'
import { runInTurns, type Steps } from '../lib/steps.ts'
import { nextLongTurn, turnIsLong } from '../lib/turn.ts'
import { invalid } from '../meta/field-error.ts'
import { fieldPath } from '../meta/field-path.ts'
import { isJsonObject, type Json, type JsonObject, type KubeObject } from '../meta/object.ts'
import { badRequestError, failure, invalidError, notFoundError, tooLargeError } from '../meta/status.ts'
import { convertInSteps, versionsOf } from '../registry/convert.ts'
import { decodeInSteps } from '../registry/decode-object.ts'
import { checkName, ensureNamespace } from '../registry/object-meta.ts'
import { builtInsOf } from '../registry/other-type.ts'
import { type Answer, groupResourceOf } from '../registry/types.ts'
import { conversionText } from '../schema/conversion-fault.ts'
import { DecodeError } from '../schema/decode.ts'
import type { Literals } from '../schema/diagnose.ts'
import { apply, noteAdded, parseCborConfiguration, parseConfiguration } from './apply.ts'
import { notePatch } from './audited-request.ts'
import { noteUnknown } from './body.ts'
import { type BodyTarget, bodyTarget } from './dialect/body-type.ts'
import { decodeConverted } from './dialect/decode-converted.ts'
import { APPLY_CBOR_PATCH, APPLY_PATCH, JSON_PATCH, type PatchTypes, STRATEGIC_PATCH } from './dialect/dialect.ts'
import { dialectOf } from './dialect/dialect-of.ts'
import { UNROUTABLE_TYPE, unroutable } from './negotiate.ts'
import { MAX_BODY_BYTES, type Scope, storeOf, writeTarget } from './scope.ts'
import { updatedView, viewTarget, writeView } from './view.ts'
import { type WriteOptions, writeOptions } from './write-options.ts'

const unsupported = (types: readonly string[]) =>
  failure(415, 'UnsupportedMediaType', `the body of the request was in an unknown format - accepted media types include: ${types.join(', ')}`)

/** Returns the patch types that are accepted for the kind. */
const patchTypes = ({ env, dialect }: Scope): PatchTypes => dialect.patchTypes(env.media.types.some(media => media.type === CBOR_TYPE))

/**
 * Checks that a route accepts the Content-Type. Upstream's router does so before anything else, with each type that the header lists; custom resources are not routed by type. Throws 415, or 406 if the body is
 * empty.
 */
export function checkPatchRoute(scope: Scope): void {
  const { exchange, dialect } = scope
  if (dialect.routeTakes(exchange.headers['content-type'], patchTypes(scope).taken)) return
  if (Number(exchange.headers['content-length'] ?? 0) > 0) throw failure(415, 'UnsupportedMediaType', UNROUTABLE_TYPE, {})
  throw unroutable(exchange, [])
}

/** PATCH of one object, of a subresource of the same kind, or of a view (scale). */
export async function patch(scope: Scope<'patch'>): Promise<{ answer: Answer; created: boolean }> {
  const { exchange, served, subresource } = scope
  const [type = ''] = (exchange.headers['content-type'] ?? '').split(';', 1)
  const { taken, listed } = patchTypes(scope)
  if (!taken.includes(type)) throw unsupported(listed)
  const isCborApply = type === APPLY_CBOR_PATCH
  const isApply = type === APPLY_PATCH || isCborApply
  const body = await exchange.readBody(MAX_BODY_BYTES)
  const options = writeOptions(exchange, 'PatchOptions', { apply: isApply, ...(scope.env.validatesFields === false && { validatesFields: false }) })
  const shows = exchange.ctx.audit?.showsRequest === true
  if (isApply) {
    const configuration = isCborApply ? parseCborConfiguration(body) : await runInTurns(parseConfiguration(body), exchange.ctx.signal)
    if (shows) await notePatch(exchange.ctx, body, configuration.config)
    return apply(scope, configuration, options)
  }
  if (shows) await notePatch(exchange.ctx, body)
  let parsing: Promise<ParsedPatch> | undefined
  const target = viewTarget(subresource) ?? bodyTarget(served.version)
  let warned = false
  const run = async (current: KubeObject): Promise<KubeObject> => {
    // A missing object takes precedence over an invalid patch.
    parsing ??= parsePatch(type, body, options)
    const parsed = await parsing
    if (turnIsLong()) await nextLongTurn()
    const patched = await patchValue(target, type, parsed, current, exchange.ctx.signal)
    if (turnIsLong()) await nextLongTurn()
    const next = await runInTurns(decodePatched({ scope, target, type, current }, parsed, patched, options, text => warned || exchange.ctx.warn(text)))
    warned = true
    ensureNamespace(next.metadata, scope.served.definition.scope === 'Namespaced' ? scope.namespace : '')
    checkName(next, scope.name, scope.namespace)
    return next
  }
  const { view } = subresource ?? {}
  return storeOf(scope).update(writeTarget(scope, options), {
    transform: async now => {
      if (!now) throw notFoundError(groupResourceOf(served), scope.name)
      return view ? writeView(scope, view, now, async live => updatedView(scope, live, await run(live), options.manager)) : run(now)
    },
    ...(view && { managed: true }),
  })
}

/** A parsed patch of any type but apply. */
interface ParsedPatch {
  readonly value: Json
  /** Whether some numbers are not written as Go writes them (`1.0`). */
  readonly hasFloats: boolean
  /** Literals of a JSON patch with `test` operations. */
  readonly literals?: Literals | undefined
  /** Errors in the patch itself that a strict decoder reports. */
  readonly faults: readonly string[]
  /** Error of decoding the result if a number does not fit a float64, which was not checked before. */
  readonly overflow?: string
}

const duplicateFault = (path: string): string => `duplicate field "${path}"`

/** Parses a patch. Unless field validation is off, errors in the patch itself are found. Fatal ones are thrown, the others are returned. */
async function parsePatch(type: string, body: Buffer, options: WriteOptions): Promise<ParsedPatch> {
  const checked = options.fieldValidation !== 'Ignore'
  let parsed: ParsedJson
  boundJsonValues(body)
  try {
    parsed = await runInTurns(parseJsonInSteps(body))
  } catch (error) {
    throw badRequestError(`${checked && type !== STRATEGIC_PATCH ? 'error decoding patch: ' : ''}${errorMessage(error)}`)
  }
  const { value, duplicates, literals, tooLarge } = parsed
  const overflow = (target: string): string => `json: cannot unmarshal number ${tooLarge} into Go ${target} of type float64`
  if (type === STRATEGIC_PATCH) {
    if (value !== null && !isJsonObject(value)) throw badRequestError(`json: cannot unmarshal ${jsonKind(value)} into Go value of type map[string]interface {}`)
    return { value: value ?? {}, hasFloats: false, faults: checked ? duplicates.map(duplicateFault) : [] }
  }
  const isNoted = type === JSON_PATCH && tests(value) && MAYBE_ODD.test(body.toString('latin1'))
  const hasFloats = literals !== undefined
  const noted = isNoted ? { ...(await runInTurns(parseExactlyInSteps(body, true))), hasFloats } : { value, hasFloats, literals: undefined }
  if (!checked) return { ...noted, faults: [], ...(tooLarge !== undefined && { overflow: overflow('value') }) }
  if (tooLarge !== undefined) throw badRequestError(`error decoding patch: ${overflow(type === JSON_PATCH ? 'struct field jsonPatchOp.value' : 'value')}`)
  if (type === JSON_PATCH)
    return {
      ...noted,
      faults: [...(await guard(() => runInTurns(checkJsonPatch(value)))).map(path => `unknown field "${path}"`), ...duplicates.map(duplicateFault)].map(
        fault => `json patch ${fault}`,
      ),
    }
  await guard(() => checkMergePatch(value))
  return { value, hasFloats, faults: duplicates.map(duplicateFault) }
}

/** The target of a patch. */
interface Patching {
  readonly scope: Scope<'patch'>
  readonly target: BodyTarget
  /** Media type of the patch. */
  readonly type: string
  readonly current: KubeObject
}

/** Matches patches whose numbers or strings may differ from Go's encoding. */
const MAYBE_ODD = /[\\<>&]|-0|\d[.eE]|\xe2\x80[\xa8\xa9]/

const tests = (patch: Json): boolean => Array.isArray(patch) && patch.some(operation => isJsonObject(operation) && operation.op === 'test')

/** Views have no other versions. */
const NO_VERSIONS: ReadonlyMap<string, Version> = new Map()

/** Decodes a patched object, with its defaults and in the served version. Unknown fields cause warnings or errors by the field validation. Throws 422 with the patched value if it cannot be decoded. */
function* decodePatched(
  { scope, target, type, current }: Patching,
  patchOf: ParsedPatch,
  { patched, shown }: Patched,
  options: WriteOptions,
  warn: (text: string) => void,
): Steps<KubeObject> {
  const refused = (why: string) => invalidError({ group: '', kind: '' }, '', [invalid(fieldPath('patch'), shown(), why)])
  const unknown: string[] = []
  const dialect = dialectOf(target.schema)
  const { why } = scope.exchange.ctx
  if (patchOf.overflow !== undefined) throw refused(patchOf.overflow)
  let next: KubeObject
  let other: Version | undefined
  try {
    const { served, snapshot } = scope
    const versions = target.schema === served.version.schema ? versionsOf(served.definition) : NO_VERSIONS
    const about = { builtIns: builtInsOf(snapshot), versions, parent: scope.dialect, shown }
    other = type === STRATEGIC_PATCH ? undefined : dialect.checkPatched(target, patched, about)
    if (patchOf.hasFloats) dialect.checkFloats(other ?? target, patched)
    const isLookedAt = options.fieldValidation !== 'Ignore' || why !== undefined
    const note = isLookedAt ? (path: string) => unknown.push(`unknown field "${path}"`) : undefined
    next = yield* (type === STRATEGIC_PATCH ? decodeConverted : decodeInSteps)(other ?? target, patched, note)
    if (other) next = yield* convertInSteps(served.definition, next, other, served.version)
  } catch (error) {
    if (error instanceof DecodeError) throw refused(type === STRATEGIC_PATCH ? conversionText(target.schema, patched, error.message) : error.message)
    throw error
  }
  yield
  // The converter of strategic merge patches sorts unknown fields; decoders report them in order.
  if (type === STRATEGIC_PATCH) unknown.sort(compareText)
  else if (unknown.length > 1) {
    unknown.length = 0
    const { value } = yield* parseJsonInSteps(Buffer.from(shown()))
    yield* decodeInSteps(other ?? target, value, path => unknown.push(`unknown field "${path}"`))
  }
  noteUnknown(why, unknown)
  if (why) noteAdded(why, patched, next)
  const faults = [...patchOf.faults, ...unknown]
  if (faults.length > 0 && options.fieldValidation !== 'Ignore') {
    if (options.fieldValidation === 'Strict') throw refused(`strict decoding error: ${faults.join(', ')}`)
    for (const fault of faults) warn(fault)
  }
  dialect.setPatchedType(target, current, next, scope.subresourceName !== '')
  return next
}

interface Patched {
  readonly patched: Json
  /** Returns the value that an error about the result quotes. */
  shown(): string
}

/** Applies a patch to the current object. Long patches are applied in turns. Throws a StatusError if it does not apply. */
function patchValue(target: BodyTarget, type: string, { value, literals }: ParsedPatch, current: JsonObject, signal: AbortSignal): Promise<Patched> {
  return guard(async () => {
    if (type === STRATEGIC_PATCH) {
      const { object, leftOver } = await runInTurns(strategicPatch(target.schema, current, value), signal)
      return { patched: object, shown: leftOver }
    }
    const decoded = new WeakSet<object>()
    const patched =
      type === JSON_PATCH
        ? await runInTurns(jsonPatchSteps(current, value, { decoded, literals }), signal)
        : await runInTurns(mergePatchSteps(current, value, decoded), signal)
    return { patched, shown: () => partlySortedJson(patched, decoded) }
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
