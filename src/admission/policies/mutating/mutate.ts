import type { JsonObject, KubeObject } from '../../../api/meta/object.ts'
import type { Value } from '../../../cel/values/value.ts'
import { compareText } from '../../../lib/compare-text.ts'
import { invariant } from '../../../lib/invariant.ts'
import { runInTurns, type Steps } from '../../../lib/steps.ts'
import { parseApiVersion } from '../../../meta/gvk.ts'
import { internalServerError } from '../../../meta/status.ts'
import type { AdmissionRequest } from '../../../registry/types.ts'
import { DecodeError } from '../../../schema/decode.ts'
import { admissionFormOf } from '../../admission-form.ts'
import type { VersionedResource } from '../../attributes.ts'
import type { CompiledExpression } from '../../expressions/compiled-expression.ts'
import { evaluateExpressions } from '../../expressions/evaluation.ts'
import { inRequestVersion } from '../../matched.ts'
import { objectInSteps, schemaOfBody } from '../../webhooks/bodies.ts'
import { POLICY_BUDGET } from '../decisions.ts'
import type { PolicyRequest } from '../policy-request.ts'
import { applyConfiguration } from './apply-configuration.ts'
import type { CompiledMutatingPolicy, CompiledMutation } from './compiled-mutations.ts'
import { applyJsonPatch } from './json-patch.ts'
import { MutationError } from './mutation-error.ts'
import { checkPatchSize } from './patch-size.ts'

/** Input of a mutation. */
export interface MutationArgs {
  readonly seen: PolicyRequest
  readonly about: VersionedResource
  readonly params: JsonObject | undefined
  readonly variables: CompiledMutatingPolicy['variables']
  /** See `applyConfiguration`. */
  readonly refuseRepeated: boolean
}

/**
 * Evaluates one mutation and updates the object of `seen`. Each mutation has its own budget and evaluates variables
 * again, because they may depend on the object. Returns the cost. Throws a MutationError, or 500 if a JSON patch leaves
 * an object of another kind.
 */
export async function mutate({ patchType, expression }: CompiledMutation, args: MutationArgs): Promise<number> {
  const { seen, about, refuseRepeated } = args
  const { value, cost } = await evaluated(expression, args)
  const { request, object: body } = await seen.bodiesIn(about)
  if (!body) return cost
  const steps = patchType === 'JSONPatch' ? patched(request, about, body, value) : configured(request, about, body, value, refuseRepeated)
  const next = await runInTurns(steps, request.ctx.signal)
  checkVersion(request, about)
  seen.setObject(await inRequestVersion(request, next))
  return cost
}

async function evaluated(
  expression: CompiledExpression,
  { seen, about, params, variables }: MutationArgs,
): Promise<{ readonly value: Value; readonly cost: number }> {
  if ('fault' in expression) throw new MutationError(expression.fault)
  const { validations: values } = await seen.values(about, params)
  const outcome = await evaluateExpressions([expression], { values, variables, budget: POLICY_BUDGET })
  if (outcome.exhausted !== undefined) throw new MutationError(outcome.exhausted)
  const [result] = outcome.results
  invariant(result, 'an expression without a result')
  if (result.error !== undefined) throw new MutationError(result.error)
  return { value: result.value, cost: POLICY_BUDGET - outcome.remaining }
}

/** Applies a JSON patch and decodes the object. As upstream, unknown fields are an error (500). */
function* patched(request: AdmissionRequest, about: VersionedResource, body: KubeObject, value: Value): Steps<KubeObject> {
  yield* checkPatchSize(value)
  const next = yield* applyJsonPatch(body, value)
  const unknown: string[] = []
  let object: KubeObject
  try {
    object = yield* objectInSteps(request, about, next, body, path => unknown.push(path))
  } catch (error) {
    throw error instanceof DecodeError ? internalServerError(error.message) : error
  }
  if (unknown.length === 0) return object
  const faults = unknown.sort(compareText).map(path => `unknown field ${JSON.stringify(path)}`)
  throw internalServerError(`strict decoding error: ${faults.join(', ')}`)
}

/**
 * Merges an apply configuration and decodes the object. Unknown fields are dropped. Throws a MutationError if a value
 * has the wrong type.
 */
function* configured(
  request: AdmissionRequest,
  about: VersionedResource,
  body: KubeObject,
  value: Value,
  refuseRepeated: boolean,
): Steps<KubeObject> {
  yield* checkPatchSize(value)
  const next = yield* applyConfiguration(schemaOfBody(request, about), body, value, refuseRepeated)
  try {
    return yield* objectInSteps(request, about, next, body, () => undefined)
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    const { group, version } = parseApiVersion(body.apiVersion) ?? { group: '', version: '' }
    throw new MutationError(`unable to convert unstructured object to ${group}/${version}, Kind=${body.kind}: ${error.message}`)
  }
}

/**
 * Throws a MutationError if the object was changed in another version than the request's and cannot be converted back.
 */
function checkVersion({ served, subresource }: AdmissionRequest, { version, kind }: VersionedResource): void {
  if (subresource !== '' || version === served.version) return
  const { name, kind: ownKind } = served.version
  const fault = admissionFormOf(version.schema).versionFault(`${version.name}.${kind.kind}`, `${name}.${ownKind}`)
  if (fault !== undefined) throw new MutationError(fault)
}
