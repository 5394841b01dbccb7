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
  /** Resolves when all stored custom kinds are served. APIServices of kinds that are not served would be removed. */
  readonly allServed: Promise<void>
}

type BootstrapGroups = Pick<ControlPlaneOptions, 'logger' | 'release' | 'storage' | 'network'>

/** Creates the objects that every cluster starts with, and reconciles them. */
export class BootstrapService implements Service {
  readonly checks: readonly ReadinessCheck[]
  readonly #options: BootstrapGroups
  readonly #catalog: Catalog
  readonly #stores: StoreService
  readonly #allServed: Promise<void>
  /**
   * Compacts away the revisions of the initial objects if the store was new. Undefined if this server does not compact.
   */
  readonly #dropBeginning: (() => Promise<Revision | undefined>) | undefined
  readonly #refusals: Refusals = new Map()
  #isDone = false
  #isRegistered = false
  #reportMade: () => void = () => {}
  /**
   * Resolves when the objects are created or rejected, when the server ends, or immediately on a copy of a server that
   * created them. Default roles wait for it: they are in namespaces created here.
   */
  readonly made = new Promise<void>(resolve => {
    this.#reportMade = resolve
  })

  /** Whether the initial objects were created or rejected. */
  get hasMade(): boolean {
    return this.#isDone
  }

  /** Must run before this server writes anything: it checks whether the store is empty. */
  constructor(options: BootstrapGroups, { catalog, stores, allServed }: BootstrapServiceParts, signal: AbortSignal) {
    this.#options = options
    this.#catalog = catalog
    this.#stores = stores
    this.#allServed = allServed
    const { compactionIntervalMs, origin, etcdPrefix } = options.storage
    if (compactionIntervalMs > 0 && origin === undefined)
      this.#dropBeginning = newStore(stores.backend, agreedKey(etcdPrefix, 'certificate-authority'), signal)
    const made = (name: string, why: string, isOf: (what: string) => boolean): ReadinessCheck =>
      onceBootstrapped(name, () => this.#isDone, why, this.#refusals, isOf)
    this.checks = [
      made(
        'poststarthook/bootstrap-controller',
        'the initial objects of the cluster are not created yet',
        what => what !== PRIORITY_CLASS_PART && what !== FLOW_CONTROL_PART,
      ),
      made(
        'poststarthook/scheduling/bootstrap-system-priority-classes',
        'the system priority classes are not created yet',
        what => what === PRIORITY_CLASS_PART,
      ),
      made(
        'poststarthook/priority-and-fairness-config-producer',
        'the flow schemas and priority levels are not created yet',
        what => what === FLOW_CONTROL_PART,
      ),
      onceBegun('autoregister-completion', () => this.#isRegistered, 'the APIServices of served group versions are not created yet'),
    ]
  }

  /** Creates and reconciles the objects, and one APIService per served group version. */
  start(start: ServiceStart, signal: AbortSignal): Promise<unknown> {
    return Promise.all([this.#bootstrap(start, signal), this.#register(start, signal)])
  }

  /** Maintains APIServices once all stored kinds are served. */
  async #register({ env }: ServiceStart, signal: AbortSignal): Promise<void> {
    const registered = (): void => {
      this.#isRegistered = true
    }
    await Promise.race([this.#allServed, untilAborted(signal)])
    if (!signal.aborted) await apiServiceController(this.#catalog, registered)(env, signal)
  }

  /**
   * Creates the initial objects, unless the store is a copy that has them, and drops the history they left. Then keeps
   * them reconciled.
   */
  async #bootstrap({ env, ...start }: ServiceStart, signal: AbortSignal): Promise<void> {
    const { release, network, logger } = this.#options
    const { isExclusive, holds, origin } = this.#options.storage
    if (holds === 'copy') {
      this.#isDone = true
      return this.#reportMade()
    }
    const options = {
      ...start,
      release: release.gates.release,
      serviceCIDRs: network.serviceCIDRs,
      alone: isExclusive,
      refusals: this.#refusals,
    }
    const refused = origin === undefined ? await bootstrap(env, options, signal) : []
    const dropped = await this.#dropBeginning?.().catch(
      error => void logger.warn('cannot compact the store', { error: errorMessage(error) }),
    )
    if (dropped) this.#stores.forget(dropped)
    this.#isDone = true
    this.#reportMade()
    await keepBootstrapped(env, options, refused, signal)
  }
}
