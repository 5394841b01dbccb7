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
import { expressionValues, type SeenRequest, withoutAuthorizer, withParams } from '../expressions/request-values.ts'
import { asMatched } from '../matched.ts'
import type { GetNamespace } from '../matching.ts'
import { bodyOf } from '../webhooks/bodies.ts'
import type { CompiledPolicy } from './compiled-policy.ts'
import type { PolicyValues } from './decisions.ts'
import { isSelected, matchedByRules, matchResources } from './match-resources.ts'
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

/** Those of a binding: undefined stands for none. */
type Params = readonly (KubeObject | undefined)[]

const WITHOUT_PARAMS: Params = [undefined]

const valuesWith = (values: PolicyValues, params: JsonObject | undefined): PolicyValues =>
  params === undefined
    ? values
    : { conditions: withParams(values.conditions, params), validations: withParams(values.validations, params), plain: withParams(values.plain, params) }

/** One request as policies see it. What is computed for one of them is there for the others. */
export class PolicyRequest {
  readonly #env: PolicyEnvironment
  readonly #asked: About
  readonly #namespace: string
  readonly #authorizer: AuthorizerValue
  #namespaceObject: Promise<KubeObject> | undefined
  #request: AdmissionRequest
  readonly #bodies = new Map<About['version'], Bodies>()
  /** Without parameters. */
  readonly #values = new Map<About['version'], PolicyValues>()

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
    this.#values.clear()
  }

  /** Undefined where the policy is not for the request. At once where its rules say so, as those of most do, and where it has no selectors. Throws a fault of its configuration (`faultText`), now or later. */
  match({ match, spec: { paramKind } }: ActivePolicy<PolicySpec, CompiledPolicy>): MatchedPolicy | Promise<MatchedPolicy | undefined> | undefined {
    if (!match) throw new ConfigurationError('policy contained no match constraints, a required field')
    const about = matchedByRules(match, this.#request, this.#asked)
    if (about === undefined) return undefined
    const matched = (): MatchedPolicy => ({ about, paramKind: paramKind && servedParamKind(this.#env.catalog, paramKind) })
    const selected = isSelected(match, this.#request, this.#env.getNamespace)
    return selected === true ? matched() : selected.then(is => (is ? matched() : undefined))
  }

  /** The parameters with which a binding has the policy evaluated, once with each; undefined where the binding is not for the request. Throws a fault of its configuration, now or later. */
  paramsOf(matched: MatchedPolicy, binding: Binding): Params | Promise<Params | undefined> {
    return binding.match === undefined && binding.paramRef === undefined ? WITHOUT_PARAMS : this.#collect(matched, binding)
  }

  async #collect({ paramKind }: MatchedPolicy, binding: Binding): Promise<Params | undefined> {
    if (binding.match && !(await matchResources(binding.match, this.#request, this.#env.getNamespace))) return undefined
    return collectParams(this.#env.params, paramKind, binding.paramRef, this.#namespace, this.#request.ctx.signal)
  }

  /** How match conditions of a policy are counted. */
  counting(policy: string): Pick<ConditionsEvaluation, 'metrics' | 'subject'> {
    const { operation } = this.#request
    return { metrics: this.#env.conditionMetrics, subject: { name: policy, kind: 'policy', type: 'validate', operation } }
  }

  /** What expressions see: at once where it has been asked for before, for all but the parameters is the same for all policies. */
  values(about: About, params: JsonObject | undefined): PolicyValues | Promise<PolicyValues> {
    const known = this.#values.get(about.version)
    return known ? valuesWith(known, params) : this.#readValues(about).then(values => valuesWith(values, params))
  }

  async #readValues(about: About): Promise<PolicyValues> {
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
