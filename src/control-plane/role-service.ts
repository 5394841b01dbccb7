import type { RuleIndex } from '../auth/authz/rbac/rule-index.ts'
import { followRules } from '../controllers/rbac-index.ts'
import { bootstrapRbacPolicy } from '../controllers/rbac-policy.ts'
import type { Features } from '../lifecycle/gates.ts'
import { onceBegun, type ReadinessCheck, type Service, type ServiceStart } from './service.ts'

/** Makes the default roles and bindings, and keeps an authorizer's index as the stored ones are. */
export class RoleService implements Service {
  readonly checks: readonly ReadinessCheck[]
  private readonly rules: RuleIndex | undefined
  private readonly features: Features
  private readonly bootstrapped: Promise<void>
  private areMade = false
  private areKnown = false

  /** `rules`: absent where no authorizer reads roles. `bootstrapped`: resolves when the namespaces are there in which default roles stand. */
  constructor(rules: RuleIndex | undefined, features: Features, bootstrapped: Promise<void>) {
    this.features = features
    this.rules = rules
    this.bootstrapped = bootstrapped
    const isReady = (): boolean => this.areMade && this.areKnown
    this.checks = rules ? [onceBegun('poststarthook/rbac/bootstrap-roles', isReady, 'the default roles are not made yet')] : []
  }

  /** Makes the default roles once, also where no authorizer of this server reads them, and follows the stored ones where one does. */
  start({ env }: ServiceStart, signal: AbortSignal): Promise<unknown> {
    const known = (): void => {
      this.areKnown = true
    }
    return Promise.all([this.make(env, signal), this.rules && followRules(env, this.rules, signal, known)])
  }

  private async make(env: ServiceStart['env'], signal: AbortSignal): Promise<void> {
    await this.bootstrapped
    await bootstrapRbacPolicy(env, this.features, signal)
    this.areMade = true
  }
}
