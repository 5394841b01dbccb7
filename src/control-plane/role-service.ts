import type { Refusals } from '../controllers/ensure.ts'
import { followRules } from '../controllers/rbac-index.ts'
import { bootstrapRbacPolicy } from '../controllers/rbac-policy.ts'
import type { ControlPlaneOptions } from './control-plane-options.ts'
import { onceBootstrapped, type ReadinessCheck, type Service, type ServiceStart } from './service.ts'

/** Creates the default roles and bindings, and keeps the RBAC index in sync with the stored ones. */
export class RoleService implements Service {
  readonly checks: readonly ReadinessCheck[]
  private readonly options: Pick<ControlPlaneOptions, 'rules' | 'gates'>
  private readonly bootstrapped: Promise<void>
  /** Whether this server, or the one it is a copy of, has created the default roles. */
  areMade: boolean
  private areKnown = false
  private readonly refusals: Refusals = new Map()

  /** @param bootstrapped resolves when the namespaces of the default roles exist. */
  constructor(options: Pick<ControlPlaneOptions, 'rules' | 'gates' | 'origin' | 'holds'>, bootstrapped: Promise<void>) {
    this.options = options
    this.bootstrapped = bootstrapped
    this.areMade = options.origin !== undefined || options.holds === 'copy'
    const isReady = (): boolean => (this.areMade || this.refusals.size > 0) && this.areKnown
    this.checks = options.rules ? [onceBootstrapped('poststarthook/rbac/bootstrap-roles', isReady, 'the default roles are not created yet', this.refusals)] : []
  }

  /** Creates the default roles once, even if RBAC is off, and follows the stored ones if it is on. */
  start({ env }: ServiceStart, signal: AbortSignal): Promise<unknown> {
    const known = (): void => {
      this.areKnown = true
    }
    const { rules } = this.options
    return Promise.all([this.areMade || this.make(env, signal), rules && followRules(env, rules, signal, known)])
  }

  private async make(env: ServiceStart['env'], signal: AbortSignal): Promise<void> {
    await this.bootstrapped
    await bootstrapRbacPolicy(env, this.options.gates, signal, this.refusals)
    this.areMade = true
  }
}
