import type { Json, JsonObject } from '../api/meta/object.ts'
import type { DeleteOptions } from '../api/meta/v1.types.ts'
import { decodeBodyInSteps } from '../codec/body.ts'
import { errorMessage } from '../lib/error-message.ts'
import { invariant } from '../lib/invariant.ts'
import { runInTurns } from '../lib/steps.ts'
import type { FieldError } from '../meta/field-error.ts'
import { invalid, notSupported } from '../meta/field-error.ts'
import { fieldPath } from '../meta/field-path.ts'
import { parseApiVersion } from '../meta/gvk.ts'
import { badRequestError, failure, forbiddenError, invalidError } from '../meta/status.ts'
import { type DeleteResult, IGNORE_READ_ERROR } from '../registry/delete.ts'
import { type DeletionOptions, PROPAGATION_POLICIES, propagationPolicyOf } from '../registry/deletion-step.ts'
import type { ListResult } from '../registry/read.ts'
import { groupResourceOf } from '../registry/types.ts'
import { DecodeError, decode } from '../schema/decode.ts'
import { noteDeleteOptions } from './audited-request.ts'
import { type ParsedBody, parseBody } from './body.ts'
import { metaType } from './forms/meta-v1.ts'
import { listOptions } from './list-options.ts'
import { booleanParameter, integerParameter, stringParameter } from './query.ts'
import type { Scope } from './scope.ts'
import { handlesSince, isNamespaced, MAX_BODY_BYTES, storeOf, targetOfScope } from './scope.ts'
import { dryRunErrors, META_GROUP } from './write-options.ts'

interface DecodedOptions {
  readonly options: DeletionOptions
  readonly dryRun: boolean
  /** The options of the request, as admission sees them. */
  readonly stated: JsonObject
  /** Whether the object is deleted because it cannot be read (`ignoreStoreReadErrorWithClusterBreakingPotential`). */
  readonly unsafe: boolean
}

/**
 * DELETE of one object. The response is a Status if the object is gone, unless the kind returns deleted objects. There
 * is no result if the object could not be read: nothing is known of it.
 */
export async function deleteOne(scope: Scope<'delete'>): Promise<{ code: number; result: DeleteResult | undefined }> {
  const { options, dryRun, stated, unsafe } = await deleteOptions(scope)
  if (unsafe) {
    await authorizeUnsafeDeletion(scope)
    await storeOf(scope).deleteCorrupt({ ...deletionTarget(scope), dryRun })
    return { code: 200, result: undefined }
  }
  const result = await storeOf(scope).delete({ dryRun, options: stated, ...deletionTarget(scope) }, options)
  return { code: !result.deleted && options.orphanDependents === false ? 202 : 200, result }
}

/**
 * DELETE of a collection: of the objects that the query selects. Returns the selected objects. Options are in the body
 * or the query.
 */
export async function deleteCollection(scope: Scope<'deletecollection'>): Promise<ListResult> {
  const selection = await listOptions(scope.exchange, scope.served.version, '', scope.env, isNamespaced(scope))
  const { options, dryRun, stated, unsafe } = await deleteOptions(scope)
  if (unsafe)
    throw invalidOptions([invalid(IGNORE_READ_ERROR, true, 'is not allowed with DELETECOLLECTION, try again after removing the option')])
  return storeOf(scope).deleteCollection({ dryRun, options: stated, ...deletionTarget(scope) }, options, selection)
}

const deletionTarget = (scope: Scope<'delete' | 'deletecollection'>) => ({ ...targetOfScope(scope), subresource: '', manager: '' })

const invalidOptions = (errors: readonly FieldError[]) => invalidError({ group: META_GROUP, kind: 'DeleteOptions' }, '', errors)

const UNSAFE_VERB = 'unsafe-delete-ignore-read-errors'

/** Authorizes unsafe deletion, which requires its own permission besides that to delete. */
async function authorizeUnsafeDeletion(scope: Scope<'delete'>): Promise<void> {
  const { user, signal } = scope.exchange.ctx
  const gr = groupResourceOf(scope.served)
  const authorize = scope.env.unsafeDeletion
  invariant(authorize, 'the option is dropped where the gate is off')
  let reason: string
  try {
    const answer = await authorize(user, { ...scope.info, verb: UNSAFE_VERB }, signal)
    if (answer.decision === 'allow') return
    reason = `not permitted to do ${JSON.stringify(UNSAFE_VERB)}, reason: ${answer.reason}`
  } catch (error) {
    reason = `error while checking permission for ${JSON.stringify(UNSAFE_VERB)}, ${errorMessage(error)}`
  }
  throw forbiddenError(gr, scope.name, reason)
}

/**
 * Decodes options from the body, or from the query if the body is empty. Throws 400 and 422. The option of unsafe
 * deletion is dropped if its gate is off, as upstream does.
 */
async function deleteOptions(scope: Scope): Promise<DecodedOptions> {
  const body = await scope.exchange.readBody(MAX_BODY_BYTES)
  const raw = body.length > 0 ? await fromBody(scope, body) : fromQuery(scope)
  const unsafe = scope.env.unsafeDeletion !== undefined && raw.ignoreStoreReadErrorWithClusterBreakingPotential === true
  const errors = [...optionErrors(raw), ...(unsafe ? exclusiveErrors(raw, handlesSince(scope.env, '1.37')) : [])]
  if (errors.length > 0) throw invalidOptions(errors)
  const { gracePeriodSeconds, preconditions, orphanDependents } = raw
  const policy = propagationPolicyOf(raw.propagationPolicy ?? '')
  return {
    unsafe,
    stated: raw,
    dryRun: (raw.dryRun ?? []).length > 0,
    options: {
      ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
      ...(preconditions !== undefined && { preconditions }),
      ...(orphanDependents !== undefined && { orphanDependents }),
      ...(policy !== undefined && { propagationPolicy: policy }),
    },
  }
}

/** metav1.DeleteOptions as in the request: the policy may be any text. */
type RawOptions = Omit<DeleteOptions, 'kind' | 'apiVersion' | 'gracePeriodSeconds'> & { gracePeriodSeconds?: number }

/** Decodes DeleteOptions from the body. Throws 400 for any fault, before 1.35 the decoder's text and 500. */
async function fromBody(scope: Scope, body: Buffer): Promise<RawOptions> {
  const type = scope.exchange.headers['content-type']
  const plainError = handlesSince(scope.env, '1.35') ? badRequestError : withoutReason
  const parsed = await runInTurns(
    parseBody(scope.env.media, type, body, { kind: 'DeleteOptions', schema: metaType('meta.DeleteOptions'), refuse: plainError }),
  )
  const { claimed } = parsed
  if ('cbor' in parsed && parsed.fault) throw plainError(parsed.fault.text)
  if (parsed.messageFault !== undefined) throw plainError(parsed.messageFault)
  const groupVersion = parseApiVersion(claimed.apiVersion)
  if (!groupVersion) throw plainError(`unexpected GroupVersion string: ${claimed.apiVersion}`)
  if (groupVersion.version === '' && groupVersion.group !== '') throw plainError(`Object 'apiVersion' is missing in '${body.toString()}'`)
  if (claimed.kind !== '' && claimed.kind !== 'DeleteOptions')
    throw plainError(
      `no kind ${JSON.stringify(claimed.kind)} is registered for version ${JSON.stringify(claimed.apiVersion || 'meta.k8s.io/v1')} in scheme "pkg/runtime/scheme.go:${handlesSince(scope.env, '1.35') ? 111 : 110}"`,
    )
  try {
    const options = decode(metaType('meta.DeleteOptions'), await exactValue(parsed))
    noteDeleteOptions(scope.exchange.ctx, options)
    return options as RawOptions
  } catch (error) {
    if (error instanceof DecodeError) throw plainError(error.message)
    throw error
  }
}

/**
 * Returns the value of a body. Numbers that are not exact are refused with their text, and repeated members are merged,
 * as Go does.
 */
async function exactValue(parsed: ParsedBody): Promise<Json> {
  const isInexact = 'literals' in parsed || 'repeated' in parsed
  return isInexact && !('cbor' in parsed)
    ? (await runInTurns(decodeBodyInSteps(metaType('meta.DeleteOptions'), parsed))).object
    : parsed.value
}

const withoutReason = (text: string) => failure(500, '', text)

/** Decodes DeleteOptions from the query. */
function fromQuery(scope: Scope): RawOptions {
  if (scope.exchange.search === '') return {}
  const { query } = scope.exchange
  const gracePeriodSeconds = integerParameter(query, 'gracePeriodSeconds')
  const orphanDependents = booleanParameter(query, 'orphanDependents')
  const ignoreReadError = booleanParameter(query, IGNORE_READ_ERROR.text)
  const propagationPolicy = query.get('propagationPolicy') ?? undefined
  const preconditions = preconditionsOf(query)
  return {
    ...(preconditions !== undefined && { preconditions }),
    ...(ignoreReadError !== undefined && { ignoreStoreReadErrorWithClusterBreakingPotential: ignoreReadError }),
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    ...(orphanDependents !== undefined && { orphanDependents }),
    ...(query.has('dryRun') && { dryRun: query.getAll('dryRun') }),
    ...(propagationPolicy !== undefined && { propagationPolicy }),
  }
}

/**
 * Reads preconditions from the query. In a collection, `resourceVersion` selects the list and is also a precondition of
 * each object.
 */
function preconditionsOf(query: URLSearchParams): RawOptions['preconditions'] {
  const uid = stringParameter(query, 'uid')
  const resourceVersion = stringParameter(query, 'resourceVersion')
  return uid === '' && resourceVersion === ''
    ? undefined
    : { ...(uid !== '' && { uid }), ...(resourceVersion !== '' && { resourceVersion }) }
}

function optionErrors(raw: RawOptions): FieldError[] {
  const errors: FieldError[] = []
  const policy = fieldPath('propagationPolicy')
  if (raw.orphanDependents !== undefined && raw.propagationPolicy !== undefined)
    errors.push(invalid(policy, raw.propagationPolicy, 'orphanDependents and deletionPropagation cannot be both set'))
  if (raw.propagationPolicy !== undefined && propagationPolicyOf(raw.propagationPolicy) === undefined)
    errors.push(notSupported(policy, raw.propagationPolicy, [...PROPAGATION_POLICIES, 'nil']))
  return [...errors, ...dryRunErrors(raw.dryRun ?? [])]
}

/**
 * Refuses options that depend on the object: unsafe deletion cannot read it. @param allowsDryRun whether it may be a
 * dry run, as since 1.37
 */
function exclusiveErrors(raw: RawOptions, allowsDryRun: boolean): FieldError[] {
  const given = {
    dryRun: !allowsDryRun && (raw.dryRun ?? []).length > 0,
    propagationPolicy: raw.propagationPolicy !== undefined,
    orphanDependents: raw.orphanDependents !== undefined,
    gracePeriodSeconds: raw.gracePeriodSeconds !== undefined,
    preconditions: raw.preconditions !== undefined,
  }
  return Object.entries(given).flatMap(([name, isGiven]) =>
    isGiven ? [invalid(IGNORE_READ_ERROR, true, `cannot be set together with .${name}`)] : [],
  )
}
