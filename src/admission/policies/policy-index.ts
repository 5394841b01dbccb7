import type { ParamRef } from '../../api/admissionregistration/v1.types.ts'
import { compareNames } from '../../lib/compare-text.ts'
import { runInTurns, type Steps } from '../../lib/steps.ts'
import { Filling } from '../filling.ts'
import type { CompiledPolicy } from './compiled-policy.ts'
import { type ParsedMatchResources, readMatchResources } from './match-resources.ts'
import type { AdmissionPolicy, PolicyBinding, PolicySpec } from './policy.ts'

/** A policy with the bindings that put it into force. */
export interface ActivePolicy<Spec extends PolicySpec, Compiled extends CompiledPolicy> {
  readonly name: string
  readonly spec: Spec
  /** Undefined if the policy has no matchConstraints, which is an error. */
  readonly match: ParsedMatchResources | undefined
  readonly bindings: readonly IndexedBinding[]
  /** Compiles the policy on first use, once per generation. */
  compiled(): Promise<Compiled>
}

/** A binding with its parsed selectors. */
export interface IndexedBinding {
  readonly name: string
  readonly policyName: string
  readonly paramRef: ParamRef | undefined
  /** Optional. Undefined if the binding applies to everything the policy matches. */
  readonly match: ParsedMatchResources | undefined
  /** Validation actions. Only used for validating policies. */
  readonly actions: readonly string[]
}

interface IndexedPolicy<Spec extends PolicySpec, Compiled extends CompiledPolicy> extends Omit<ActivePolicy<Spec, Compiled>, 'bindings'> {
  readonly uid: string
  readonly generation: number
}

/** Policies of one kind and their bindings. Updated by `controllers/follow-policies.ts`. */
export class PolicyIndex<Spec extends PolicySpec = PolicySpec, Compiled extends CompiledPolicy = CompiledPolicy> {
  readonly filling = new Filling()
  readonly #compile: (policy: AdmissionPolicy<Spec>) => Steps<Compiled>
  readonly #policies = new Map<string, IndexedPolicy<Spec, Compiled>>()
  readonly #bindings = new Map<string, IndexedBinding>()
  #active: readonly ActivePolicy<Spec, Compiled>[] = []
  #changed = false

  constructor(compile: (policy: AdmissionPolicy<Spec>) => Steps<Compiled>) {
    this.#compile = compile
  }

  /** Bound policies, sorted by name, each with its bindings sorted by name. */
  get active(): readonly ActivePolicy<Spec, Compiled>[] {
    if (this.#changed) this.#active = this.#find()
    this.#changed = false
    return this.#active
  }

  hasPolicy(name: string): boolean {
    return this.#policies.has(name)
  }

  /** Whether both exist and the binding refers to the policy. */
  isBound(policy: string, binding: string): boolean {
    return this.#policies.has(policy) && this.#bindings.get(binding)?.policyName === policy
  }

  policyNames(): Iterable<string> {
    return this.#policies.keys()
  }

  bindingNames(): Iterable<string> {
    return this.#bindings.keys()
  }

  /** Adds or replaces a policy. An unchanged generation keeps its compiled form. */
  putPolicy(policy: AdmissionPolicy<Spec>): void {
    const { name = '', uid = '', generation = 0 } = policy.metadata
    const known = this.#policies.get(name)
    if (known && known.uid === uid && known.generation === generation) return
    const { spec } = policy
    let compiled: Promise<Compiled> | undefined
    this.#policies.set(name, {
      name,
      uid,
      generation,
      spec,
      match: spec.matchConstraints && readMatchResources(spec.matchConstraints),
      compiled: () => {
        compiled ??= runInTurns(this.#compile(policy))
        return compiled
      },
    })
    this.#changed = true
  }

  /** Adds or replaces a binding. */
  putBinding({ metadata: { name = '' }, spec }: PolicyBinding): void {
    // In 1.26 bindings had no validationActions and always denied.
    const { policyName = '', paramRef, matchResources, validationActions = ['Deny'] } = spec
    const match = matchResources && readMatchResources(matchResources)
    this.#bindings.set(name, { name, policyName, paramRef, match, actions: validationActions })
    this.#changed = true
  }

  removePolicy(name: string): void {
    if (this.#policies.delete(name)) this.#changed = true
  }

  removeBinding(name: string): void {
    if (this.#bindings.delete(name)) this.#changed = true
  }

  /** Joins policies with their bindings. Policies without bindings are not in force. */
  #find(): ActivePolicy<Spec, Compiled>[] {
    const bindings = new Map<string, IndexedBinding[]>()
    for (const binding of [...this.#bindings.values()].sort(compareNames)) {
      const others = bindings.get(binding.policyName)
      if (others) others.push(binding)
      else bindings.set(binding.policyName, [binding])
    }
    return [...this.#policies.values()].sort(compareNames).flatMap(policy => {
      const bound = bindings.get(policy.name)
      return bound ? [{ ...policy, bindings: bound }] : []
    })
  }
}
