import type { Catalog } from '../catalog/catalog.ts'
import { apiServiceController } from '../controllers/api-services.ts'
import { bootstrap, FLOW_CONTROL_PART, keepBootstrapped, PRIORITY_CLASS_PART } from '../controllers/bootstrap.ts'
import { newStore } from '../controllers/compaction.ts'
import type { Refusals } from '../controllers/ensure.ts'
import { errorMessage } from '../lib/error-message.ts'
import { untilAborted } from '../lib/on-abort.ts'
import { agreedKey } from '../storage/agreed-values.ts'
import type { Revision } from '../storage/revision.ts'
import type { ControlPlaneOptions } from './control-plane-options.ts'
import { onceBegun, onceBootstrapped, type ReadinessCheck, type Service, type ServiceStart } from './service.ts'
import type { StoreService } from './store-service.ts'

export interface BootstrapServiceParts {
  readonly catalog: Catalog
  readonly stores: StoreService
  /** Resolves when all stored kinds are served: an APIService of what is not would be removed. */
  readonly allServed: Promise<void>
}

/** Makes the objects that every cluster has from the start, and keeps them. */
export class BootstrapService implements Service {
  readonly checks: readonly ReadinessCheck[]
  private readonly options: ControlPlaneOptions
  private readonly catalog: Catalog
  private readonly stores: StoreService
  private readonly allServed: Promise<void>
  /** Drops the history that making the first objects has left, of a store that was new; absent where this server does not compact. */
  private readonly dropBeginning: (() => Promise<Revision | undefined>) | undefined
  private readonly refusals: Refusals = new Map()
  private isDone = false
  private isRegistered = false
  private reportMade: () => void = () => {}
  /** Resolves when the objects are made or refused, or the server is a copy of one that has made them, or the server ends before: default roles stand in namespaces that are among them. */
  readonly made = new Promise<void>(resolve => {
    this.reportMade = resolve
  })

  /** The objects were made or refused. */
  get hasMade(): boolean {
    return this.isDone
  }

  /** Made before this server writes anything: it looks whether the store is new. */
  constructor(options: ControlPlaneOptions, { catalog, stores, allServed }: BootstrapServiceParts, signal: AbortSignal) {
    this.options = options
    this.catalog = catalog
    this.stores = stores
    this.allServed = allServed
    if (options.compactionIntervalMs > 0 && options.origin === undefined)
      this.dropBeginning = newStore(stores.backend, agreedKey(options.etcdPrefix, 'certificate-authority'), signal)
    const made = (name: string, why: string, isOf: (what: string) => boolean): ReadinessCheck =>
      onceBootstrapped(name, () => this.isDone, why, this.refusals, isOf)
    this.checks = [
      made(
        'poststarthook/bootstrap-controller',
        'the objects of a new cluster are not made yet',
        what => what !== PRIORITY_CLASS_PART && what !== FLOW_CONTROL_PART,
      ),
      made(
        'poststarthook/scheduling/bootstrap-system-priority-classes',
        'the priority classes of the system are not made yet',
        what => what === PRIORITY_CLASS_PART,
      ),
      made('poststarthook/priority-and-fairness-config-producer', 'the objects of flow control are not made yet', what => what === FLOW_CONTROL_PART),
      onceBegun('autoregister-completion', () => this.isRegistered, 'APIServices of group versions that are served are missing yet'),
    ]
  }

  /** Makes the objects, then keeps them, and keeps an APIService for each served group version. */
  start(start: ServiceStart, signal: AbortSignal): Promise<unknown> {
    return Promise.all([this.bootstrap(start, signal), this.register(start, signal)])
  }

  private async register({ env }: ServiceStart, signal: AbortSignal): Promise<void> {
    const registered = (): void => {
      this.isRegistered = true
    }
    await Promise.race([this.allServed, untilAborted(signal)])
    if (!signal.aborted) await apiServiceController(this.catalog, registered)(env, signal)
  }

  private async bootstrap({ env, ...start }: ServiceStart, signal: AbortSignal): Promise<void> {
    const { serviceCIDRs, exclusiveStore, gates, logger, holds } = this.options
    if (holds === 'copy') {
      this.isDone = true
      return this.reportMade()
    }
    const options = { ...start, release: gates.release, serviceCIDRs, alone: exclusiveStore, refusals: this.refusals }
    const refused = this.options.origin === undefined ? await bootstrap(env, options, signal) : []
    const dropped = await this.dropBeginning?.().catch(error => void logger.warn('history cannot be compacted', { error: errorMessage(error) }))
    if (dropped) this.stores.forget(dropped)
    this.isDone = true
    this.reportMade()
    await keepBootstrapped(env, options, refused, signal)
  }
}
