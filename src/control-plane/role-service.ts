import type { Refusals } from '../controllers/ensure.ts'
import { followRules } from '../controllers/rbac-index.ts'
import { bootstrapRbacPolicy } from '../controllers/rbac-policy.ts'
import type { ControlPlaneOptions } from './control-plane-options.ts'
import { onceBootstrapped, type ReadinessCheck, type Service, type ServiceStart } from './service.ts'

/** Makes the default roles and bindings, and keeps an authorizer's index as the stored ones are. */
export class RoleService implements Service {
  readonly checks: readonly ReadinessCheck[]
  private readonly options: Pick<ControlPlaneOptions, 'rules' | 'gates'>
  private readonly bootstrapped: Promise<void>
  /** The default roles were made, by this server or the one that it is a copy of. */
  areMade: boolean
  private areKnown = false
  private readonly refusals: Refusals = new Map()

  /** `bootstrapped`: resolves when the namespaces are there in which default roles stand. */
  constructor(options: Pick<ControlPlaneOptions, 'rules' | 'gates' | 'origin' | 'holds'>, bootstrapped: Promise<void>) {
    this.options = options
    this.bootstrapped = bootstrapped
    this.areMade = options.origin !== undefined || options.holds === 'copy'
    const isReady = (): boolean => (this.areMade || this.refusals.size > 0) && this.areKnown
    this.checks = options.rules ? [onceBootstrapped('poststarthook/rbac/bootstrap-roles', isReady, 'the default roles are not made yet', this.refusals)] : []
  }

  /** Makes the default roles once, also where no authorizer of this server reads them, and follows the stored ones where one does. */
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
