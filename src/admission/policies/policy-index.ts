import { compareText } from '../../lib/compare-text.ts'
import { runInTurns, type Steps } from '../../lib/steps.ts'
import { Filling } from '../filling.ts'
import type { CompiledPolicy } from './compiled-policy.ts'
import { type MatchResources, readMatchResources } from './match-resources.ts'
import type { ParamRef, Policy, PolicyBinding, PolicySpec } from './policy.ts'

/** A policy that is in force, with the bindings that put it there. */
export interface ActivePolicy<Spec extends PolicySpec, Compiled extends CompiledPolicy> {
  readonly name: string
  readonly spec: Spec
  /** Absent where the policy says nothing of it, which is an error. */
  readonly match: MatchResources | undefined
  readonly bindings: readonly Binding[]
  /** Compiled when it is first asked for, and once for each generation of the policy. */
  compiled(): Promise<Compiled>
}

/** A binding with its compiled selectors. */
export interface Binding {
  readonly name: string
  readonly policyName: string
  readonly paramRef: ParamRef | undefined
  /** Absent: all that the policy matches. */
  readonly match: MatchResources | undefined
  /** Of a validating policy. */
  readonly actions: readonly string[]
}

interface KnownPolicy<Spec extends PolicySpec, Compiled extends CompiledPolicy> extends Omit<ActivePolicy<Spec, Compiled>, 'bindings'> {
  readonly uid: string
  readonly generation: number
}

/** The policies of one kind and their bindings, as `controllers/follow-policies.ts` puts and removes them. */
export class PolicyIndex<Spec extends PolicySpec = PolicySpec, Compiled extends CompiledPolicy = CompiledPolicy> {
  readonly filling = new Filling()
  readonly #compile: (policy: Policy<Spec>) => Steps<Compiled>
  readonly #policies = new Map<string, KnownPolicy<Spec, Compiled>>()
  readonly #bindings = new Map<string, Binding>()
  #active: readonly ActivePolicy<Spec, Compiled>[] = []
  #changed = false

  constructor(compile: (policy: Policy<Spec>) => Steps<Compiled>) {
    this.#compile = compile
  }

  /** Those that are bound, by their names, each with its bindings by theirs. */
  get active(): readonly ActivePolicy<Spec, Compiled>[] {
    if (this.#changed) this.#active = this.#find()
    this.#changed = false
    return this.#active
  }

  hasPolicy(name: string): boolean {
    return this.#policies.has(name)
  }

  /** Whether the binding is one of the policy, which is there. */
  isBound(policy: string, binding: string): boolean {
    return this.#policies.has(policy) && this.#bindings.get(binding)?.policyName === policy
  }

  policyNames(): Iterable<string> {
    return this.#policies.keys()
  }

  bindingNames(): Iterable<string> {
    return this.#bindings.keys()
  }

  putPolicy(policy: Policy<Spec>): void {
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

  putBinding({ metadata: { name = '' }, spec }: PolicyBinding): void {
    // In 1.26 bindings had no actions, and refused.
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

  #find(): ActivePolicy<Spec, Compiled>[] {
    const bindings = new Map<string, Binding[]>()
    for (const binding of [...this.#bindings.values()].sort(byName)) {
      const others = bindings.get(binding.policyName)
      if (others) others.push(binding)
      else bindings.set(binding.policyName, [binding])
    }
    return [...this.#policies.values()].sort(byName).flatMap(policy => {
      const bound = bindings.get(policy.name)
      return bound ? [{ ...policy, bindings: bound }] : []
    })
  }
}

const byName = (a: { readonly name: string }, b: { readonly name: string }): number => compareText(a.name, b.name)
