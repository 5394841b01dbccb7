import type { MutatingAdmissionPolicySpec } from '../../../api/admissionregistration/v1.types.ts'
import type { JsonObject, KubeObject } from '../../../api/meta/object.ts'
import { deepEqual } from '../../../meta/equal.ts'
import { StatusError } from '../../../meta/status.ts'
import type { AdmissionRequest } from '../../../registry/types.ts'
import { admissionFormOf } from '../../admission-form.ts'
import type { VersionedResource } from '../../attributes.ts'
import type { AdmissionPlugin } from '../../chain.ts'
import { meetsConditions } from '../../expressions/match-conditions.ts'
import { refuse } from '../../refuse.ts'
import { type Reinvocation, type Round, reinvocationOf } from '../../reinvocation.ts'
import { withValidManagers } from '../../valid-managers.ts'
import { seenBodies } from '../../webhooks/bodies.ts'
import { awaitPolicies, mayHavePolicies, policiesFor } from '../following.ts'
import type { ActivePolicy, IndexedBinding, PolicyIndex } from '../policy-index.ts'
import { faultText, type MatchedPolicy, type PolicyEnvironment, PolicyRequest } from '../policy-request.ts'
import type { CompiledMutatingPolicy, CompiledMutation } from './compiled-mutations.ts'
import type { MutatingPolicyMetrics } from './metrics.ts'
import { mutate } from './mutate.ts'
import { MutationError } from './mutation-error.ts'

type MutatingPolicy = ActivePolicy<MutatingAdmissionPolicySpec, CompiledMutatingPolicy>

/** Dependencies of the mutating policy plugin. */
export interface MutatingEnvironment extends PolicyEnvironment {
  readonly index: PolicyIndex<MutatingAdmissionPolicySpec, CompiledMutatingPolicy>
  readonly metrics: MutatingPolicyMetrics
  /** See `applyConfiguration`. */
  readonly refuseRepeated: boolean
}

/** A policy to evaluate for a request, with one binding and one param object. */
interface Invocation {
  readonly policy: MutatingPolicy
  readonly binding: IndexedBinding
  /** Param object as expressions see it. */
  readonly params: JsonObject | undefined
  /** Unique within the request. */
  readonly key: string
  readonly about: VersionedResource
}

/** Reason for rejecting a request. */
interface MutationDenial {
  readonly text: string
  /** Optional. Default: Forbidden. */
  readonly reason?: 'Invalid'
}

const NAME = 'MutatingAdmissionPolicy'

/**
 * MutatingAdmissionPolicy: policies change the object of a request one after the other. Each sees the changes of those
 * before it. The object as received decides which policies apply.
 * https://kubernetes.io/docs/reference/access-authn-authz/mutating-admission-policy/
 */
export function mutatingAdmissionPolicy(env: MutatingEnvironment): AdmissionPlugin {
  return {
    name: NAME,
    handles: request => request.operation !== 'DELETE' && mayHavePolicies(env.index, request),
    async mutate(asked, round = { again: false, wanted: false }) {
      await awaitPolicies(env.index, asked)
      const { request, back } = seenBodies(asked, 'mutating')
      const pass = new MutatingPass(env, request, round)
      const object = await pass.run()
      if (!object || object === request.object) return asked.object
      return withValidManagers(asked, back(object))
    },
  }
}

/** One pass of a request through the mutating policies. */
class MutatingPass {
  readonly #env: MutatingEnvironment
  readonly #seen: PolicyRequest
  readonly #round: Round
  readonly #reinvocation: Reinvocation
  readonly #denials: MutationDenial[] = []

  constructor(env: MutatingEnvironment, request: AdmissionRequest, round: Round) {
    this.#env = env
    this.#seen = new PolicyRequest(env, request)
    this.#round = round
    this.#reinvocation = reinvocationOf(round, NAME)
  }

  /** Runs the policies and returns the object. Throws 403 if one fails and its failurePolicy is not Ignore. */
  async run(): Promise<KubeObject | undefined> {
    const invocations = await this.#invocations()
    if (invocations.length > 0) await this.#invokeAll(invocations)
    if (this.#denials.length > 0) throw mutationRefusal(this.#seen.request, this.#denials)
    return this.#seen.request.object
  }

  /**
   * Collects the policies that match the request, once per binding and param object. Configuration errors are recorded
   * as failures.
   */
  async #invocations(): Promise<Invocation[]> {
    const found: Invocation[] = []
    for (const policy of policiesFor(this.#env.index, this.#seen.request)) {
      let matched: MatchedPolicy | undefined
      try {
        const matching = this.#seen.match(policy)
        matched = matching && (await matching)
      } catch (error) {
        this.#fail(policy, undefined, faultText(error, 'policy'))
      }
      if (!matched) continue
      for (const binding of policy.bindings)
        try {
          for (const params of (await this.#seen.paramsOf(matched, binding)) ?? [])
            found.push(invocationOf(policy, binding, matched, params))
        } catch (error) {
          this.#fail(policy, binding, faultText(error, 'binding'))
        }
    }
    return found
  }

  /** Evaluates the policies in order, and requests another pass if needed. */
  async #invokeAll(invocations: readonly Invocation[]): Promise<void> {
    const reinvocation = this.#reinvocation
    if (this.#round.again) reinvocation.begin(this.#seen.request.object)
    let mutated = false
    for (const invocation of invocations) if (await this.#invoke(invocation)) mutated = true
    // As upstream: a mutation requests another pass even if it changed nothing, and that pass includes the last
    // policies.
    if (mutated) this.#changed()
    reinvocation.end(this.#seen.request.object)
  }

  #changed(): void {
    this.#reinvocation.changed()
    this.#round.wanted = true
  }

  /** Evaluates a policy. Returns whether a mutation was applied. */
  async #invoke(invocation: Invocation): Promise<boolean> {
    const { policy, key } = invocation
    const compiled = await policy.compiled()
    if (!(await this.#meetsConditions(invocation, compiled))) return false
    if (this.#round.again && !this.#reinvocation.isDue(key)) return false
    const before = this.#seen.request.object
    let mutated = false
    for (const mutation of compiled.mutations) if (before && (await this.#mutate(invocation, compiled, mutation))) mutated = true
    if (!deepEqual(before, this.#seen.request.object)) this.#changed()
    this.#reinvocation.asked(key, policy.spec.reinvocationPolicy === 'IfNeeded')
    return mutated
  }

  /** Evaluates the match conditions of a policy. An error is recorded as a failure, and the policy is skipped. */
  async #meetsConditions(
    { policy, binding, params, about }: Invocation,
    { conditions, variables }: CompiledMutatingPolicy,
  ): Promise<boolean> {
    if (!conditions) return true
    const { conditions: values } = await this.#seen.values(about, params)
    const outcome = await meetsConditions(conditions, { values, variables, ...this.#seen.counting(policy.name) })
    if (outcome.error === undefined) return outcome.matches
    this.#fail(policy, binding, outcome.error, 'Invalid')
    return false
  }

  /** Evaluates one mutation. Returns whether it was applied; a failure is recorded. */
  async #mutate(
    { policy, binding, params, about }: Invocation,
    { variables }: CompiledMutatingPolicy,
    mutation: CompiledMutation,
  ): Promise<boolean> {
    const { metrics, refuseRepeated } = this.#env
    const began = performance.now()
    const observe = (error?: string): void => metrics.observe(policy.name, binding.name, error, (performance.now() - began) / 1000)
    const before = this.#seen.request.object
    const { why } = this.#seen.request.ctx
    try {
      const cost = await mutate(mutation, { seen: this.#seen, about, params, variables, refuseRepeated })
      observe()
      const milliseconds = performance.now() - began
      why?.note({
        ...ofPolicy(policy, binding),
        outcome: 'admitted',
        milliseconds,
        cost,
        changes: why.changes(before, this.#seen.request.object),
      })
      return true
    } catch (error) {
      if (error instanceof MutationError || error instanceof StatusError) observe(error.message)
      if (!(error instanceof MutationError)) throw error
      this.#fail(policy, binding, error.message, 'Invalid')
      return false
    }
  }

  /** Records a failure as a reason to reject the request, unless failurePolicy is Ignore. */
  #fail({ name, spec }: MutatingPolicy, binding: IndexedBinding | undefined, message: string, reason?: 'Invalid'): void {
    const ignored = spec.failurePolicy === 'Ignore'
    this.#seen.request.ctx.why?.note({
      ...ofPolicy({ name }, binding),
      outcome: ignored ? 'failed' : 'refused',
      milliseconds: 0,
      messages: [message],
    })
    if (ignored) return
    const by = binding ? `policy '${name}' with binding '${binding.name}'` : `policy ${JSON.stringify(name)}`
    this.#denials.push({ text: `${by} denied request: ${message}`, ...(reason && { reason }) })
  }
}

const ofPolicy = ({ name }: Pick<MutatingPolicy, 'name'>, binding: IndexedBinding | undefined) =>
  ({ step: 'policy', policy: name, ...(binding && { binding: binding.name }), phase: 'mutating' }) as const

function invocationOf(
  policy: MutatingPolicy,
  binding: IndexedBinding,
  { about, paramKind }: MatchedPolicy,
  object: KubeObject | undefined,
): Invocation {
  const key = JSON.stringify([policy.name, binding.name, object?.metadata.namespace, object?.metadata.name])
  const params = object && paramKind ? admissionFormOf(paramKind.version.schema).parameters(object) : object
  return { policy, binding, params, key, about }
}

/** Builds a 403 with all failures as causes. Message and reason are those of the first. */
function mutationRefusal(request: AdmissionRequest, denials: readonly MutationDenial[]): StatusError {
  const { status } = refuse(request, 'admission request denied by policy')
  const [first] = denials
  const causes = denials.map(({ text }) => ({ message: text }))
  return new StatusError({
    ...status,
    ...(first && { message: first.text, reason: first.reason ?? status.reason }),
    details: { ...status.details, causes },
  })
}
