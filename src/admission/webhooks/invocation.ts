import type { AuthorizerValue } from '../../cel/functions/authorization.ts'
import { forbiddenError } from '../../meta/status.ts'
import type { AdmissionRequest } from '../../registry/types.ts'
import { namespaceOf, operationOptions, requestedResource, type VersionedResource } from '../attributes.ts'
import type { ConditionMetrics } from '../expressions/condition-metrics.ts'
import { meetsConditions } from '../expressions/match-conditions.ts'
import { expressionValues } from '../expressions/request-values.ts'
import { inMatchedVersion } from '../matched.ts'
import { type GetNamespace, matchRules, namespaceMatches, objectMatches } from '../matching.ts'
import { encodedObjects } from './bodies.ts'
import type { Webhook } from './webhook.ts'

/** Dependencies for matching webhooks. */
export interface MatchEnvironment {
  readonly getNamespace: GetNamespace
  readonly conditionMetrics: ConditionMetrics
  readonly authorizer: (request: AdmissionRequest) => AuthorizerValue
}

/**
 * Returns the version in which a webhook is called for a request, or undefined if it does not match. A malformed
 * selector is an error only if a rule matches. Throws a StatusError if matching fails.
 */
export async function invocationOf(
  hook: Webhook,
  request: AdmissionRequest,
  env: MatchEnvironment,
): Promise<VersionedResource | undefined> {
  const about = matchRules(hook.rules, hook.matchPolicy, request)
  if (!about) return undefined
  let fault: unknown
  try {
    if (!(await namespaceMatches(hook.namespaceSelector, request, env.getNamespace))) return undefined
  } catch (error) {
    fault = error
  }
  if (!objectMatches(hook.objectSelector, request)) return undefined
  if (fault) throw fault
  return (await meets(hook, request, about, env)) ? about : undefined
}

/** Evaluates the match conditions of a webhook whose rules and selectors match. */
async function meets(
  hook: Webhook,
  request: AdmissionRequest,
  about: VersionedResource,
  { conditionMetrics: metrics, authorizer }: MatchEnvironment,
): Promise<boolean> {
  const conditions = await hook.conditions()
  if (conditions.length === 0) return true
  const { operation } = request
  const { object, oldObject } = await encodedObjects(await inMatchedVersion(request, about), about)
  const asked = requestedResource(request)
  const options = operationOptions(request)
  const values = expressionValues({
    object,
    oldObject,
    authorizer: authorizer(request),
    request: {
      ...request,
      user: request.ctx.user,
      kind: about.kind,
      // Upstream passes the resource of the request here, whichever version the rule matched.
      resource: asked.resource,
      requestKind: asked.kind,
      requestResource: asked.resource,
      namespace: namespaceOf(request),
      ...(options && { options }),
    },
  })
  const type = hook.kind === 'mutating' ? 'admit' : 'validating'
  const outcome = await meetsConditions(conditions, { values, metrics, subject: { name: hook.name, kind: 'webhook', type, operation } })
  if (outcome.error === undefined) {
    if (!outcome.matches) metrics.excluded(hook.name, hook.kind === 'mutating' ? 'admit' : 'validate', operation)
    return outcome.matches
  }
  if (hook.failurePolicy === 'Ignore') return false
  const { group, resource } = asked.resource
  throw forbiddenError({ group, resource }, request.name, outcome.error)
}
