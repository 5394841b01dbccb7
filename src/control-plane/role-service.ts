import type { RuleIndex } from '../auth/authz/rbac/rule-index.ts'
import type { Refusals } from '../controllers/ensure.ts'
import { followRules } from '../controllers/rbac-index.ts'
import { bootstrapRbacPolicy } from '../controllers/rbac-policy.ts'
import type { Gates } from '../lifecycle/gates.ts'
import type { ControlPlaneOptions } from './control-plane-options.ts'
import { onceBootstrapped, type ReadinessCheck, type Service, type ServiceStart } from './service.ts'

/** Creates the default roles and bindings, and keeps the RBAC index in sync with the stored ones. */
export class RoleService implements Service {
  readonly checks: readonly ReadinessCheck[]
  readonly #rules: RuleIndex | undefined
  readonly #gates: Gates
  readonly #bootstrapped: Promise<void>
  /** Whether this server, or the one it is a copy of, has created the default roles. */
  areMade: boolean
  #areKnown = false
  readonly #refusals: Refusals = new Map()

  /** @param bootstrapped resolves when the namespaces of the default roles exist. */
  constructor(
    { access: { rules }, release: { gates }, storage }: Pick<ControlPlaneOptions, 'access' | 'release' | 'storage'>,
    bootstrapped: Promise<void>,
  ) {
    this.#rules = rules
    this.#gates = gates
    this.#bootstrapped = bootstrapped
    this.areMade = storage.origin !== undefined || storage.holds === 'copy'
    const isReady = (): boolean => (this.areMade || this.#refusals.size > 0) && this.#areKnown
    this.checks = rules
      ? [onceBootstrapped('poststarthook/rbac/bootstrap-roles', isReady, 'the default roles are not created yet', this.#refusals)]
      : []
  }

  /** Creates the default roles once, even if RBAC is off, and follows the stored ones if it is on. */
  start({ env }: ServiceStart, signal: AbortSignal): Promise<unknown> {
    const known = (): void => {
      this.#areKnown = true
    }
    const rules = this.#rules
    return Promise.all([this.areMade || this.#make(env, signal), rules && followRules(env, rules, signal, known)])
  }

  async #make(env: ServiceStart['env'], signal: AbortSignal): Promise<void> {
    await this.#bootstrapped
    await bootstrapRbacPolicy(env, this.#gates, signal, this.#refusals)
    this.areMade = true
  }
}
