import type { JsonObject, KubeObject } from '../../api/meta/object.ts'
import type { Catalog, ServedResource } from '../../catalog/catalog.ts'
import type { AuthorizerValue } from '../../cel/functions/authorization.ts'
import type { Authorizer } from '../../meta/authorizer.ts'
import { StatusError } from '../../meta/status.ts'
import type { AdmissionRequest } from '../../registry/types.ts'
import { namespaceOf, operationOptions, requestedResource, type VersionedResource } from '../attributes.ts'
import { authorizerOf } from '../expressions/authorizer-variable.ts'
import type { ConditionMetrics } from '../expressions/condition-metrics.ts'
import type { ConditionsEvaluation } from '../expressions/match-conditions.ts'
import { expressionValues, type SeenRequest, withoutAuthorizer, withParams } from '../expressions/request-values.ts'
import { inMatchedVersion } from '../matched.ts'
import type { GetNamespace } from '../matching.ts'
import { encodedObjects } from '../webhooks/bodies.ts'
import type { CompiledPolicy } from './compiled-policy.ts'
import type { PolicyValues } from './decisions.ts'
import { isSelected, matchedByRules, matchResources } from './match-resources.ts'
import { ConfigurationError, collectParams, type ParamReader, servedParamKind } from './params.ts'
import type { PolicySpec } from './policy.ts'
import type { ActivePolicy, IndexedBinding } from './policy-index.ts'

/** Dependencies shared by validating and mutating policies. */
export interface PolicyEnvironment {
  /** Kinds, among which the kind of params must be served. */
  readonly catalog: Catalog
  /** Reads the params that bindings refer to. */
  readonly params: ParamReader
  /** Reads the namespace of the request, for selectors and `namespaceObject`. */
  readonly getNamespace: GetNamespace
  /** Decides checks of the variable `authorizer`. */
  readonly authorize: Authorizer['authorize']
  readonly conditionMetrics: ConditionMetrics
}

/** A policy that matches a request. */
export interface MatchedPolicy {
  /** Version of the resource in which the request matches. */
  readonly about: VersionedResource
  /** Undefined if the policy has no params. */
  readonly paramKind: ServedResource | undefined
}

/** Objects of a request in the matched version. */
interface Bodies {
  /** The request, with its objects in that version. */
  readonly request: AdmissionRequest
  /** The variable `object`. Undefined on delete. */
  readonly object: KubeObject | undefined
  /** The variable `oldObject`. Undefined on create. */
  readonly oldObject: KubeObject | undefined
}

/** Param objects of a binding. An undefined element stands for an evaluation without params. */
type Params = readonly (KubeObject | undefined)[]

/** One evaluation without params. */
const WITHOUT_PARAMS: Params = [undefined]

const valuesWith = (values: PolicyValues, params: JsonObject | undefined): PolicyValues =>
  params === undefined
    ? values
    : {
        conditions: withParams(values.conditions, params),
        validations: withParams(values.validations, params),
        plain: withParams(values.plain, params),
      }

/** A request as policies see it. Values that do not depend on the policy are computed once and shared. */
export class PolicyRequest {
  readonly #env: PolicyEnvironment
  readonly #asked: VersionedResource
  readonly #namespace: string
  readonly #authorizer: AuthorizerValue
  #namespaceObject: Promise<KubeObject> | undefined
  #request: AdmissionRequest
  readonly #bodies = new Map<VersionedResource['version'], Bodies>()
  /** Variables per version, without params. */
  readonly #values = new Map<VersionedResource['version'], PolicyValues>()

  /** @param request with subresource objects as the client sees them (`seenBodies`). */
  constructor(env: PolicyEnvironment, request: AdmissionRequest) {
    this.#env = env
    this.#request = request
    this.#asked = requestedResource(request)
    this.#namespace = namespaceOf(request)
    this.#authorizer = authorizerOf(env.authorize, request.ctx.user, request.ctx.signal)
  }

  /** The request with its current object, which a mutating policy may have changed. */
  get request(): AdmissionRequest {
    return this.#request
  }

  /** Replaces the object that later policies see. */
  setObject(object: KubeObject): void {
    this.#request = { ...this.#request, object }
    this.#bodies.clear()
    this.#values.clear()
  }

  /**
   * Returns undefined if the policy does not match the request. Returns synchronously if the rules decide it, as for
   * most policies, or if there are no selectors. Throws or rejects with a configuration error (see `faultText`).
   */
  match({
    match,
    spec: { paramKind },
  }: ActivePolicy<PolicySpec, CompiledPolicy>): MatchedPolicy | Promise<MatchedPolicy | undefined> | undefined {
    if (!match) throw new ConfigurationError('policy contained no match constraints, a required field')
    const about = matchedByRules(match, this.#request, this.#asked)
    if (about === undefined) return undefined
    const matched = (): MatchedPolicy => ({ about, paramKind: paramKind && servedParamKind(this.#env.catalog, paramKind) })
    const selected = isSelected(match, this.#request, this.#env.getNamespace)
    return selected === true ? matched() : selected.then(is => (is ? matched() : undefined))
  }

  /**
   * Returns the param objects of a binding; the policy is evaluated once for each. Undefined if the binding does not
   * match the request. Throws or rejects with a configuration error.
   */
  paramsOf(matched: MatchedPolicy, binding: IndexedBinding): Params | Promise<Params | undefined> {
    return binding.match === undefined && binding.paramRef === undefined ? WITHOUT_PARAMS : this.#collect(matched, binding)
  }

  /** Undefined if the match resources of the binding exclude the request. */
  async #collect({ paramKind }: MatchedPolicy, binding: IndexedBinding): Promise<Params | undefined> {
    if (binding.match && !(await matchResources(binding.match, this.#request, this.#env.getNamespace))) return undefined
    return collectParams(this.#env.params, paramKind, binding.paramRef, this.#namespace, this.#request.ctx.signal)
  }

  /** Returns the metrics and labels of the policy's match conditions. */
  counting(policy: string): Pick<ConditionsEvaluation, 'metrics' | 'subject'> {
    const { operation } = this.#request
    return { metrics: this.#env.conditionMetrics, subject: { name: policy, kind: 'policy', type: 'validate', operation } }
  }

  /**
   * Returns the variables of expressions. Synchronous after the first call for a version: all but `params` is shared by
   * all policies.
   */
  values(about: VersionedResource, params: JsonObject | undefined): PolicyValues | Promise<PolicyValues> {
    const known = this.#values.get(about.version)
    return known ? valuesWith(known, params) : this.#readValues(about).then(values => valuesWith(values, params))
  }

  /** Encodes the variables of a version. They are kept until the object changes. */
  async #readValues(about: VersionedResource): Promise<PolicyValues> {
    const { object, oldObject } = await this.bodiesIn(about)
    const request = this.#seen(about)
    const namespaceObject = await this.#namespaceOfRequest()
    const seen = { object, oldObject, authorizer: this.#authorizer }
    const validations = expressionValues({ ...seen, request, namespaceObject })
    const conditions = expressionValues({ ...seen, request: { ...request, resource: this.#asked.resource } })
    const values = { conditions, validations, plain: withoutAuthorizer(validations) }
    this.#values.set(about.version, values)
    return values
  }

  /** Returns the objects in the matched version, converted once per version until the object changes. */
  async bodiesIn(about: VersionedResource): Promise<Bodies> {
    const known = this.#bodies.get(about.version)
    if (known) return known
    const request = await inMatchedVersion(this.#request, about)
    const bodies = { request, ...(await encodedObjects(request, about)) }
    this.#bodies.set(about.version, bodies)
    return bodies
  }

  /** The `request` variable for a matched version. */
  #seen({ kind, resource }: VersionedResource): SeenRequest {
    const { ctx, subresource, name, operation, dryRun } = this.#request
    const { kind: requestKind, resource: requestResource } = this.#asked
    const options = operationOptions(this.#request)
    const asked = { requestKind, requestResource, subresource, name, namespace: this.#namespace, operation, user: ctx.user, dryRun }
    return { kind, resource, ...asked, ...(options && { options }) }
  }

  /** Returns the namespace of the request. Undefined if the request is for a Namespace or a cluster-scoped resource. */
  async #namespaceOfRequest(): Promise<KubeObject | undefined> {
    const { group, version, kind } = this.#asked.kind
    if (this.#namespace === '' || (group === '' && version === 'v1' && kind === 'Namespace')) return undefined
    this.#namespaceObject ??= this.#env.getNamespace(this.#namespace)
    return this.#namespaceObject
  }
}

/** Message for a misconfigured policy or binding. Rethrows any other error. */
export function faultText(error: unknown, what: 'policy' | 'binding'): string {
  if (error instanceof ConfigurationError || error instanceof StatusError) return `failed to configure ${what}: ${error.message}`
  throw error
}
