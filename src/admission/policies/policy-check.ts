import type { Catalog, ServedResource } from '../../catalog/catalog.ts'
import type { AuthorizerValue } from '../../cel/functions/authorization.ts'
import type { Authorizer } from '../../meta/authorizer.ts'
import type { KubeObject } from '../../meta/object.ts'
import { StatusError } from '../../meta/status.ts'
import type { AdmissionRequest } from '../../registry/types.ts'
import { type About, aboutRequest, namespaceOf, operationOptions } from '../attributes.ts'
import { authorizerOf } from '../expressions/authorizer-answers.ts'
import { expressionValues, type SeenRequest } from '../expressions/request-values.ts'
import { asMatched } from '../matched.ts'
import type { GetNamespace } from '../matching.ts'
import { bodyOf, seenBodies } from '../webhooks/bodies.ts'
import { AuditAnnotations, auditFailure } from './audit-annotations.ts'
import { type Decision, decide, type PolicyResult, type PolicyValues } from './decisions.ts'
import { matchResources } from './match-resources.ts'
import type { PolicyMetrics } from './metrics.ts'
import { ConfigurationError, collectParams, type ParamReader, servedParamKind } from './params.ts'
import type { ActivePolicy, Binding, PolicyIndex } from './policy-index.ts'

/** What policies are evaluated with. */
export interface PolicyEnvironment {
  readonly index: PolicyIndex
  readonly catalog: Catalog
  readonly params: ParamReader
  readonly metrics: PolicyMetrics
  readonly getNamespace: GetNamespace
  readonly authorize: Authorizer['authorize']
}

/** Why a request is refused. */
export interface Denial {
  readonly policy: string
  /** Absent: the policy itself cannot be put to use. */
  readonly binding?: string
  readonly message: string
  /** Empty: the usual one. */
  readonly reason: string
}

/** The objects of a request as the version that matched writes them. */
interface Bodies {
  readonly object: KubeObject | undefined
  readonly oldObject: KubeObject | undefined
}

/** One request on its way through the policies. */
export class PolicyCheck {
  readonly denials: Denial[] = []
  readonly #env: PolicyEnvironment
  readonly #request: AdmissionRequest
  readonly #asked: About
  readonly #namespace: string
  readonly #authorizer: AuthorizerValue
  #namespaceObject: Promise<KubeObject> | undefined
  readonly #bodies = new Map<About['version'], Bodies>()

  constructor(env: PolicyEnvironment, request: AdmissionRequest) {
    this.#env = env
    this.#request = seenBodies(request).request
    this.#asked = aboutRequest(request)
    this.#namespace = namespaceOf(request)
    this.#authorizer = authorizerOf(env.authorize, request.ctx.user, request.ctx.signal)
  }

  /** Adds what the policy has against the request, and warns of what it only warns of. */
  async ask(policy: ActivePolicy): Promise<void> {
    const ignoreFailures = policy.spec.failurePolicy === 'Ignore'
    const failed = (error: unknown, binding?: Binding): void => {
      if (!(error instanceof ConfigurationError || error instanceof StatusError)) throw error
      if (ignoreFailures) return
      const message = `failed to configure ${binding ? 'binding' : 'policy'}: ${error.message}`
      this.denials.push({ policy: policy.name, ...(binding && { binding: binding.name }), message, reason: '' })
    }
    let about: About | undefined
    let paramKind: ServedResource | undefined
    try {
      if (!policy.match) throw new ConfigurationError('policy contained no match constraints, a required field')
      about = await matchResources(policy.match, this.#request, this.#env.getNamespace)
      if (!about) return
      paramKind = policy.spec.paramKind && servedParamKind(this.#env.catalog, policy.spec.paramKind)
    } catch (error) {
      failed(error)
      return
    }
    const noted = new AuditAnnotations()
    for (const binding of policy.bindings) {
      let params: readonly (KubeObject | undefined)[]
      try {
        if (binding.match && !(await matchResources(binding.match, this.#request, this.#env.getNamespace))) continue
        params = await collectParams(this.#env.params, paramKind, binding.paramRef, this.#namespace, this.#request.ctx.signal)
      } catch (error) {
        failed(error, binding)
        continue
      }
      const results: PolicyResult[] = []
      for (const param of params) results.push(await decide(await policy.compiled(), await this.#values(about, param), ignoreFailures))
      for (const result of results) this.#enforce(policy, binding, result, noted)
    }
    noted.publish(this.#request, policy.name)
  }

  async #values(about: About, params: KubeObject | undefined): Promise<PolicyValues> {
    const { object, oldObject } = await this.#bodiesIn(about)
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

  #seen({ kind, resource }: About): SeenRequest {
    const { ctx, subresource, name, operation, dryRun } = this.#request
    const { kind: requestKind, resource: requestResource } = this.#asked
    const options = operationOptions(this.#request)
    const asked = { requestKind, requestResource, subresource, name, namespace: this.#namespace, operation, user: ctx.user, dryRun }
    return { kind, resource, ...asked, ...(options && { options }) }
  }

  async #bodiesIn(about: About): Promise<Bodies> {
    const known = this.#bodies.get(about.version)
    if (known) return known
    const seen = await asMatched(this.#request, about)
    const { object, old } = seen
    const bodies = { object: object && bodyOf(seen, about, object), oldObject: old && bodyOf(seen, about, old) }
    this.#bodies.set(about.version, bodies)
    return bodies
  }

  /** None where the request is about a namespace: that is in none. */
  async #namespaceOfRequest(): Promise<KubeObject | undefined> {
    const { group, version, kind } = this.#asked.kind
    if (this.#namespace === '' || (group === '' && version === 'v1' && kind === 'Namespace')) return undefined
    this.#namespaceObject ??= this.#env.getNamespace(this.#namespace)
    return this.#namespaceObject
  }

  #enforce(policy: ActivePolicy, binding: Binding, { decisions, annotations }: PolicyResult, noted: AuditAnnotations): void {
    const { metrics } = this.#env
    for (const [index, decision] of decisions.entries()) {
      if (decision.action === 'deny') this.#deny(policy, binding, decision, index)
      else if (decision.failed) metrics.observe(policy.name, binding.name, decision, 'allow')
    }
    for (const annotation of annotations) {
      if (!('error' in annotation)) {
        noted.add(annotation.key, annotation.value)
        continue
      }
      this.denials.push({ policy: policy.name, binding: binding.name, message: annotation.error, reason: '' })
      metrics.observe(policy.name, binding.name, { message: annotation.error, seconds: annotation.seconds }, 'deny')
    }
  }

  /** `index`: of the validation in the policy. */
  #deny(policy: ActivePolicy, binding: Binding, decision: Decision, index: number): void {
    const { metrics } = this.#env
    const { message, reason } = decision
    for (const action of binding.actions) {
      if (action === 'Deny') {
        this.denials.push({ policy: policy.name, binding: binding.name, message, reason })
        metrics.observe(policy.name, binding.name, decision, 'deny')
      } else if (action === 'Warn') {
        this.#request.ctx.warn(`Validation failed for ValidatingAdmissionPolicy '${policy.name}' with binding '${binding.name}': ${message}`)
        metrics.observe(policy.name, binding.name, decision, 'warn')
      } else if (action === 'Audit') {
        const { name, actions } = binding
        auditFailure(this.#request, { message, policy: policy.name, binding: name, expressionIndex: index, validationActions: actions })
        metrics.observe(policy.name, name, decision, 'audit')
      }
    }
  }
}
