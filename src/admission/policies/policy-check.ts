import type { ValidatingAdmissionPolicySpec } from '../../api/admissionregistration/v1.types.ts'
import type { KubeObject } from '../../api/meta/object.ts'
import { isSince, type Release } from '../../lifecycle/release.ts'
import type { PolicyStep } from '../../meta/why.ts'
import type { AdmissionRequest } from '../../registry/types.ts'
import { seenBodies } from '../webhooks/bodies.ts'
import { AuditAnnotations, auditFailures, type ValidationFailure } from './audit-annotations.ts'
import type { CompiledValidatingPolicy } from './compiled-policy.ts'
import { decide, type PolicyResult, type ValidationDecision } from './decisions.ts'
import type { PolicyMetrics } from './metrics.ts'
import type { ActivePolicy, IndexedBinding, PolicyIndex } from './policy-index.ts'
import { faultText, type MatchedPolicy, type PolicyEnvironment, PolicyRequest } from './policy-request.ts'

type ValidatingPolicy = ActivePolicy<ValidatingAdmissionPolicySpec, CompiledValidatingPolicy>

/** Dependencies of the validating policy plugin. */
export interface ValidatingEnvironment extends PolicyEnvironment {
  readonly index: PolicyIndex<ValidatingAdmissionPolicySpec, CompiledValidatingPolicy>
  readonly metrics: PolicyMetrics
  readonly release: Release
}

/** Reason for rejecting a request. */
export interface PolicyDenial {
  readonly policy: string
  /** Optional. Omitted if the policy itself is misconfigured. */
  readonly binding?: string
  readonly message: string
  /** Empty for the default, Invalid. */
  readonly reason: string
}

/** Maximum number of audited failures of a request since 1.37, over all policies. Before, only the first is audited. */
const MOST_AUDITED = 50

const ignoresFailures = ({ spec }: ValidatingPolicy): boolean => spec.failurePolicy === 'Ignore'

/** Evaluation of the validating policies for one request. Collects denials. */
export class PolicyCheck {
  readonly denials: PolicyDenial[] = []
  readonly #metrics: PolicyMetrics
  readonly #mostAudited: number
  readonly #audited: ValidationFailure[] = []
  readonly #seen: PolicyRequest

  constructor(env: ValidatingEnvironment, request: AdmissionRequest) {
    this.#metrics = env.metrics
    this.#mostAudited = isSince(env.release, '1.37') ? MOST_AUDITED : 1
    this.#seen = new PolicyRequest(env, seenBodies(request, 'validating').request)
  }

  /**
   * Evaluates a policy, adds its denials and sends its warnings. Returns undefined synchronously if the policy does not
   * match the request, as most do not.
   */
  ask(policy: ValidatingPolicy): Promise<void> | undefined {
    try {
      const matching = this.#seen.match(policy)
      return matching && this.#askMatching(policy, matching)
    } catch (error) {
      this.#fail(policy, error)
      return undefined
    }
  }

  /** Evaluates a matching policy for each binding and param object. */
  async #askMatching(policy: ValidatingPolicy, matching: MatchedPolicy | Promise<MatchedPolicy | undefined>): Promise<void> {
    let matched: MatchedPolicy | undefined
    try {
      matched = await matching
    } catch (error) {
      this.#fail(policy, error)
    }
    if (!matched) return
    const noted = new AuditAnnotations()
    for (const binding of policy.bindings) {
      let params: Awaited<ReturnType<PolicyRequest['paramsOf']>>
      try {
        params = await this.#seen.paramsOf(matched, binding)
      } catch (error) {
        this.#fail(policy, error, binding)
      }
      const results: PolicyResult[] = []
      for (const param of params ?? []) results.push(await this.#decide(policy, matched, param))
      for (const result of results) {
        this.#seen.request.ctx.why?.note(asked(policy, binding, result))
        this.#enforce(policy, binding, result, noted)
      }
    }
    noted.publish(this.#seen.request, policy.name)
  }

  /** Adds the failures of all policies to the audit event. Called once, when all policies have been evaluated. */
  publishFailures(): void {
    auditFailures(this.#seen.request, this.#audited)
  }

  async #decide(policy: ValidatingPolicy, { about }: MatchedPolicy, params: KubeObject | undefined): Promise<PolicyResult> {
    const compiled = await policy.compiled()
    const values = await this.#seen.values(about, params)
    const options = { ignoreFailures: ignoresFailures(policy), ...this.#seen.counting(policy.name) }
    return decide(compiled, values, options)
  }

  #fail(policy: ValidatingPolicy, error: unknown, binding?: IndexedBinding): void {
    const message = faultText(error, binding ? 'binding' : 'policy')
    const { why } = this.#seen.request.ctx
    why?.note({ ...ofPolicy(policy, binding), outcome: 'failed', milliseconds: 0, messages: [message] })
    if (!ignoresFailures(policy)) this.denials.push({ policy: policy.name, ...(binding && { binding: binding.name }), message, reason: '' })
  }

  /** Carries out the decisions of a policy, collects its annotations, and counts both. */
  #enforce(policy: ValidatingPolicy, binding: IndexedBinding, { decisions, annotations }: PolicyResult, noted: AuditAnnotations): void {
    const metrics = this.#metrics
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

  /**
   * Carries out the validation actions of a binding for a violation. @param index index of the validation in the
   * policy.
   */
  #deny(policy: ValidatingPolicy, binding: IndexedBinding, decision: ValidationDecision, index: number): void {
    const metrics = this.#metrics
    const { message, reason } = decision
    for (const action of binding.actions) {
      if (action === 'Deny') {
        this.denials.push({ policy: policy.name, binding: binding.name, message, reason })
        metrics.observe(policy.name, binding.name, decision, 'deny')
      } else if (action === 'Warn') {
        this.#seen.request.ctx.warn(
          `Validation failed for ValidatingAdmissionPolicy '${policy.name}' with binding '${binding.name}': ${message}`,
        )
        metrics.observe(policy.name, binding.name, decision, 'warn')
      } else if (action === 'Audit') {
        const { name, actions } = binding
        if (this.#audited.length < this.#mostAudited)
          this.#audited.push({ message, policy: policy.name, binding: name, expressionIndex: index, validationActions: actions })
        metrics.observe(policy.name, name, decision, 'audit')
      }
    }
  }
}

type PolicyStepStart = Omit<PolicyStep, 'outcome' | 'milliseconds'>

const ofPolicy = ({ name }: ValidatingPolicy, binding?: IndexedBinding): PolicyStepStart => ({
  step: 'policy',
  policy: name,
  ...(binding && { binding: binding.name }),
  phase: 'validating',
})

/** Summary of an evaluation for `why`. */
function asked(policy: ValidatingPolicy, binding: IndexedBinding, { decisions, annotations, cost }: PolicyResult): PolicyStep {
  const wrong = decisions.filter(({ action, failed }) => action === 'deny' || failed)
  const faults = annotations.flatMap(annotation => ('error' in annotation ? [annotation.error] : []))
  const denies = wrong.some(({ action }) => action === 'deny')
  const outcome =
    (denies && binding.actions.includes('Deny')) || faults.length > 0
      ? 'refused'
      : denies
        ? 'warned or audited'
        : wrong.length > 0
          ? 'failed'
          : 'admitted'
  const messages = [...wrong.map(({ message }) => message), ...faults]
  return {
    ...ofPolicy(policy, binding),
    outcome,
    milliseconds: 1000 * [...decisions, ...annotations].reduce((sum, { seconds }) => sum + seconds, 0),
    ...(cost !== undefined && { cost }),
    ...(messages.length > 0 && { messages }),
  }
}
