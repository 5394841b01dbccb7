import type { Catalog, ServedResource } from '../../catalog/catalog.ts'
import type { AuthorizerValue } from '../../cel/functions/authorization.ts'
import type { Authorizer } from '../../meta/authorizer.ts'
import type { JsonObject, KubeObject } from '../../meta/object.ts'
import { StatusError } from '../../meta/status.ts'
import type { AdmissionRequest } from '../../registry/types.ts'
import { type About, aboutRequest, namespaceOf, operationOptions } from '../attributes.ts'
import { authorizerOf } from '../expressions/authorizer-answers.ts'
import type { ConditionMetrics } from '../expressions/condition-metrics.ts'
import type { ConditionsEvaluation } from '../expressions/match-conditions.ts'
import { expressionValues, type SeenRequest } from '../expressions/request-values.ts'
import { asMatched } from '../matched.ts'
import type { GetNamespace } from '../matching.ts'
import { bodyOf } from '../webhooks/bodies.ts'
import type { CompiledPolicy } from './compiled-policy.ts'
import type { PolicyValues } from './decisions.ts'
import { isSelected, type MatchResources, matchedByRules, matchResources } from './match-resources.ts'
import { ConfigurationError, collectParams, type ParamReader, servedParamKind } from './params.ts'
import type { PolicySpec } from './policy.ts'
import type { ActivePolicy, Binding } from './policy-index.ts'

/** What policies of both kinds are evaluated with. */
export interface PolicyEnvironment {
  readonly catalog: Catalog
  readonly params: ParamReader
  readonly getNamespace: GetNamespace
  readonly authorize: Authorizer['authorize']
  readonly conditionMetrics: ConditionMetrics
}

/** A policy that is for a request. */
export interface MatchedPolicy {
  /** In which version of its resource the request matches. */
  readonly about: About
  readonly paramKind: ServedResource | undefined
}

/** The objects of a request as the version that matched writes them. */
interface Bodies {
  /** The request with the objects in that version. */
  readonly request: AdmissionRequest
  readonly object: KubeObject | undefined
  readonly oldObject: KubeObject | undefined
}

/** One request as policies see it. What is computed for one of them is there for the others. */
export class PolicyRequest {
  readonly #env: PolicyEnvironment
  readonly #asked: About
  readonly #namespace: string
  readonly #authorizer: AuthorizerValue
  #namespaceObject: Promise<KubeObject> | undefined
  #request: AdmissionRequest
  readonly #bodies = new Map<About['version'], Bodies>()

  /** @param request with the views of objects, where it writes those (`seenBodies`). */
  constructor(env: PolicyEnvironment, request: AdmissionRequest) {
    this.#env = env
    this.#request = request
    this.#asked = aboutRequest(request)
    this.#namespace = namespaceOf(request)
    this.#authorizer = authorizerOf(env.authorize, request.ctx.user, request.ctx.signal)
  }

  /** As it is now: a policy may have changed its object. */
  get request(): AdmissionRequest {
    return this.#request
  }

  /** From now on policies see this object. */
  setObject(object: KubeObject): void {
    this.#request = { ...this.#request, object }
    this.#bodies.clear()
  }

  /** Undefined where the policy is not for the request: at once where its rules say so, as those of most do. Throws a fault of its configuration (`faultText`), now or later. */
  match(policy: ActivePolicy<PolicySpec, CompiledPolicy>): Promise<MatchedPolicy | undefined> | undefined {
    if (!policy.match) throw new ConfigurationError('policy contained no match constraints, a required field')
    const about = matchedByRules(policy.match, this.#request, this.#asked)
    return about && this.#selected(policy.match, about, policy.spec.paramKind)
  }

  async #selected(match: MatchResources, about: About, paramKind: PolicySpec['paramKind']): Promise<MatchedPolicy | undefined> {
    if (!(await isSelected(match, this.#request, this.#env.getNamespace))) return undefined
    return { about, paramKind: paramKind && servedParamKind(this.#env.catalog, paramKind) }
  }

  /** The parameters with which a binding has the policy evaluated, once with each; undefined where the binding is not for the request. Throws a fault of its configuration. */
  async paramsOf({ paramKind }: MatchedPolicy, binding: Binding): Promise<readonly (KubeObject | undefined)[] | undefined> {
    if (binding.match && !(await matchResources(binding.match, this.#request, this.#env.getNamespace))) return undefined
    return collectParams(this.#env.params, paramKind, binding.paramRef, this.#namespace, this.#request.ctx.signal)
  }

  /** How match conditions of a policy are counted. */
  counting(policy: string): Pick<ConditionsEvaluation, 'metrics' | 'subject'> {
    const { operation } = this.#request
    return { metrics: this.#env.conditionMetrics, subject: { name: policy, kind: 'policy', type: 'validate', operation } }
  }

  async values(about: About, params: JsonObject | undefined): Promise<PolicyValues> {
    const { object, oldObject } = await this.bodiesIn(about)
    const request = this.#seen(about)
    const namespaceObject = await this.#namespaceOfRequest()
    const authorizer = this.#authorizer
    const seen = { object, oldObject, params }
    return {
      conditions: expressionValues({ ...seen, request: { ...request, resource: this.#asked.resource }, authorizer }),
      validations: expressionValues({ ...seen, request, namespaceObject, authorizer }),
      plain: expressionValues({ ...seen, request, namespaceObject }),
    }
  }

  async bodiesIn(about: About): Promise<Bodies> {
    const known = this.#bodies.get(about.version)
    if (known) return known
    const request = await asMatched(this.#request, about)
    const { object, old } = request
    const bodies = { request, object: object && bodyOf(request, about, object), oldObject: old && bodyOf(request, about, old) }
    this.#bodies.set(about.version, bodies)
    return bodies
  }

  #seen({ kind, resource }: About): SeenRequest {
    const { ctx, subresource, name, operation, dryRun } = this.#request
    const { kind: requestKind, resource: requestResource } = this.#asked
    const options = operationOptions(this.#request)
    const asked = { requestKind, requestResource, subresource, name, namespace: this.#namespace, operation, user: ctx.user, dryRun }
    return { kind, resource, ...asked, ...(options && { options }) }
  }

  /** Undefined where the request is about a namespace: that is in none. */
  async #namespaceOfRequest(): Promise<KubeObject | undefined> {
    const { group, version, kind } = this.#asked.kind
    if (this.#namespace === '' || (group === '' && version === 'v1' && kind === 'Namespace')) return undefined
    this.#namespaceObject ??= this.#env.getNamespace(this.#namespace)
    return this.#namespaceObject
  }
}

/** The message for a policy or a binding whose configuration is at fault. Throws an error that is no such fault. */
export function faultText(error: unknown, what: 'policy' | 'binding'): string {
  if (error instanceof ConfigurationError || error instanceof StatusError) return `failed to configure ${what}: ${error.message}`
  throw error
}
