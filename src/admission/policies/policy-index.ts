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
  /** Shared with readers of the policy, must not be changed. */
  readonly spec: Spec
  /** Undefined if the policy has no matchConstraints, which is an error. */
  readonly match: ParsedMatchResources | undefined
  /** Sorted by name. Never empty. */
  readonly bindings: readonly IndexedBinding[]
  /** Compiles the policy on first use, once per generation. */
  compiled(): Promise<Compiled>
}

/** A binding with its parsed selectors. */
export interface IndexedBinding {
  readonly name: string
  /** The policy need not exist. */
  readonly policyName: string
  /** Undefined if the binding has no parameters. */
  readonly paramRef: ParamRef | undefined
  /** Optional. Undefined if the binding applies to everything the policy matches. */
  readonly match: ParsedMatchResources | undefined
  /** Validation actions. Only used for validating policies. */
  readonly actions: readonly string[]
}

/** A policy that may have no bindings. */
interface IndexedPolicy<Spec extends PolicySpec, Compiled extends CompiledPolicy> extends Omit<ActivePolicy<Spec, Compiled>, 'bindings'> {
  /** Distinguishes policies that have had the same name. */
  readonly uid: string
  /** A policy of another generation is compiled again. */
  readonly generation: number
}

/**
 * Policies of one kind and their bindings: of manifests, and stored ones, which `controllers/follow-policies.ts`
 * updates.
 */
export class PolicyIndex<Spec extends PolicySpec = PolicySpec, Compiled extends CompiledPolicy = CompiledPolicy> {
  /** Whether the stored policies and bindings have been read. Requests wait for it. */
  readonly filling = new Filling()
  readonly #compile: (policy: AdmissionPolicy<Spec>) => Steps<Compiled>
  readonly #policies = new Map<string, IndexedPolicy<Spec, Compiled>>()
  readonly #bindings = new Map<string, IndexedBinding>()
  #manifests: readonly ActivePolicy<Spec, Compiled>[] = []
  #active: readonly ActivePolicy<Spec, Compiled>[] = []
  #changed = false

  constructor(compile: (policy: AdmissionPolicy<Spec>) => Steps<Compiled>) {
    this.#compile = compile
  }

  /** Bound policies, those of manifests first, sorted by name, each with its bindings sorted by name. */
  get active(): readonly ActivePolicy<Spec, Compiled>[] {
    if (this.#changed) this.#active = [...this.#manifests, ...boundPolicies(this.#policies.values(), this.#bindings.values())]
    this.#changed = false
    return this.#active
  }

  /** Bound policies of manifests alone, in the same order. */
  get manifests(): readonly ActivePolicy<Spec, Compiled>[] {
    return this.#manifests
  }

  /** Reports whether a policy exists, bound or not. */
  hasPolicy(name: string): boolean {
    return this.#policies.has(name) || this.#manifests.some(policy => policy.name === name)
  }

  /** Whether both exist and the binding refers to the policy. */
  isBound(policy: string, binding: string): boolean {
    if (this.#policies.has(policy) && this.#bindings.get(binding)?.policyName === policy) return true
    return this.#manifests.find(({ name }) => name === policy)?.bindings.some(({ name }) => name === binding) === true
  }

  /** Replaces the policies and bindings of manifests. */
  setManifests(policies: readonly AdmissionPolicy<Spec>[], bindings: readonly PolicyBinding[]): void {
    this.#manifests = boundPolicies(
      policies.map(policy => this.#indexed(policy)),
      bindings.map(indexedBinding),
    )
    this.#changed = true
  }

  /** Names of stored policies, without those of manifests. */
  policyNames(): Iterable<string> {
    return this.#policies.keys()
  }

  /** Names of stored bindings, without those of manifests. */
  bindingNames(): Iterable<string> {
    return this.#bindings.keys()
  }

  /** Adds or replaces a policy. An unchanged generation keeps its compiled form. */
  putPolicy(policy: AdmissionPolicy<Spec>): void {
    const { name = '', uid = '', generation = 0 } = policy.metadata
    const known = this.#policies.get(name)
    if (known && known.uid === uid && known.generation === generation) return
    this.#policies.set(name, this.#indexed(policy))
    this.#changed = true
  }

  /** Adds or replaces a binding. */
  putBinding(binding: PolicyBinding): void {
    const indexed = indexedBinding(binding)
    this.#bindings.set(indexed.name, indexed)
    this.#changed = true
  }

  removePolicy(name: string): void {
    if (this.#policies.delete(name)) this.#changed = true
  }

  removeBinding(name: string): void {
    if (this.#bindings.delete(name)) this.#changed = true
  }

  /**
   * The policy is compiled by the first request that it matches. The promise is shared, so that concurrent requests
   * compile it once.
   */
  #indexed(policy: AdmissionPolicy<Spec>): IndexedPolicy<Spec, Compiled> {
    const { name = '', uid = '', generation = 0 } = policy.metadata
    const { spec } = policy
    let compiled: Promise<Compiled> | undefined
    return {
      name,
      uid,
      generation,
      spec,
      match: spec.matchConstraints && readMatchResources(spec.matchConstraints),
      compiled: () => {
        compiled ??= runInTurns(this.#compile(policy))
        return compiled
      },
    }
  }
}

/** Parses a binding. Its selectors are parsed once. */
function indexedBinding({ metadata: { name = '' }, spec }: PolicyBinding): IndexedBinding {
  // In 1.26 bindings had no validationActions and always denied.
  const { policyName = '', paramRef, matchResources, validationActions = ['Deny'] } = spec
  return { name, policyName, paramRef, match: matchResources && readMatchResources(matchResources), actions: validationActions }
}

/** Joins policies with their bindings. Policies without bindings are not in force. */
function boundPolicies<Policy extends { readonly name: string }>(
  policies: Iterable<Policy>,
  bindings: Iterable<IndexedBinding>,
): (Policy & { readonly bindings: readonly IndexedBinding[] })[] {
  const byPolicy = new Map<string, IndexedBinding[]>()
  for (const binding of [...bindings].sort(compareNames)) {
    const others = byPolicy.get(binding.policyName)
    if (others) others.push(binding)
    else byPolicy.set(binding.policyName, [binding])
  }
  return [...policies].sort(compareNames).flatMap(policy => {
    const bound = byPolicy.get(policy.name)
    return bound ? [{ ...policy, bindings: bound }] : []
  })
}
