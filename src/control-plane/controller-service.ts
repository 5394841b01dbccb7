import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { Catalog } from '../catalog/catalog.ts'
import type { ResourceAccess } from '../catalog/resource-access.ts'
import type { ApiClient } from '../clients/api-client.ts'
import { allocationRepairController } from '../controllers/allocation-repair.ts'
import { claimUsageController } from '../controllers/claim-usage.ts'
import { clusterRoleAggregationController } from '../controllers/cluster-role-aggregation.ts'
import { compactHistory } from '../controllers/compaction.ts'
import type { Controller, ControllerEnvironment } from '../controllers/controller.ts'
import { flowControlKeeper } from '../controllers/flow-control-objects.ts'
import { flowSchemaStatusController } from '../controllers/flow-schema-status.ts'
import type { ForeignResources } from '../controllers/foreign-resources.ts'
import { garbageCollector } from '../controllers/garbage-collector/garbage-collector.ts'
import { attributesClassProtection, claimProtection, volumeProtection } from '../controllers/in-use-protection.ts'
import { type LeadershipOptions, whileLeading } from '../controllers/leadership.ts'
import type { ControllerName } from '../controllers/names.ts'
import { namespaceController } from '../controllers/namespace.ts'
import { namespaceContentController } from '../controllers/namespace-content.ts'
import { policyStatusController } from '../controllers/policy-status.ts'
import { resourceQuotaController } from '../controllers/resource-quota/controller.ts'
import type { ListStored } from '../controllers/resource-quota/recount.ts'
import { serviceAccountTokenController } from '../controllers/service-account-token.ts'
import type { WorkQueues } from '../controllers/work-queues.ts'
import { definitionController } from '../extensions/definition-controller.ts'
import type { MetricFamily } from '../lib/metrics.ts'
import type { QuotaReservations } from '../resources/core/resource-quota/admission/reservations.ts'
import { Evaluators } from '../resources/core/resource-quota/usage/evaluators.ts'
import { VOLUME_ATTRIBUTES_CLASSES } from '../resources/kinds.ts'
import { nodePortRange } from './built-in-kinds.ts'
import type { ControlPlaneOptions } from './control-plane-options.ts'
import type { ClientEnds, ClientIdentity } from './in-process-client.ts'
import { onceBegun, type ReadinessCheck, type Service, type ServiceStart } from './service.ts'

export interface ControllerServiceParts {
  readonly catalog: Catalog
  /** Shared with the loops of other services. */
  readonly queues: WorkQueues
  /** Whether validating admission policies are served. */
  hasPolicies(): boolean
  /** Quota charged for writes in progress by the plugin ResourceQuota of this server. */
  readonly reservations: QuotaReservations
  readonly listStored: ListStored
  /** Controller that sets the Available condition of APIServices. */
  readonly availability: Controller
  /** Namespaced resources of aggregated servers. */
  readonly foreign: ForeignResources
  /** Access for renewals of the Lease. Webhooks are not called for these. */
  leaderAccess(signal: AbortSignal): ResourceAccess
  /** Returns a client of this server in the process. */
  clientOf(identity: ClientIdentity, ends: ClientEnds): ApiClient
}

type ControllerGroups = Pick<
  ControlPlaneOptions,
  'runtime' | 'logger' | 'release' | 'storage' | 'access' | 'controllers' | 'cluster' | 'clusterMetrics' | 'network'
>

/** Loops that run once among all servers on a store: controllers and compaction. */
export class ControllerService implements Service {
  readonly metrics: readonly MetricFamily[]
  readonly checks: readonly ReadinessCheck[]
  #isClusterSynced: boolean
  readonly #options: ControllerGroups
  readonly #parts: ControllerServiceParts
  /** Identity of this control plane; unique even among several in one process. */
  readonly #leadership: LeadershipOptions = {
    name: 'binnacle-controllers',
    identity: `${hostname()}_${randomUUID()}`,
    leaseMs: 6000,
    stopMs: 4000,
    renewMs: 2000,
  }

  constructor(options: ControllerGroups, parts: ControllerServiceParts) {
    this.#options = options
    this.#parts = parts
    this.metrics = [...parts.queues.families(), ...(options.clusterMetrics ?? [])]
    // If there are several servers, only the holder of the Lease runs the cluster.
    this.#isClusterSynced = options.cluster === undefined || !options.storage.isExclusive
    this.checks = options.cluster
      ? [onceBegun('cluster', () => this.#isClusterSynced, 'the parts of the cluster have not seen the present objects yet')]
      : []
  }

  /** Leads immediately if no other server writes to the store, otherwise while this server holds the Lease. */
  start(start: ServiceStart, signal: AbortSignal): Promise<void> {
    const { runtime, logger, storage } = this.#options
    const controllers = this.#controllers(start)
    const lead = (env: ControllerEnvironment, until: AbortSignal, fence: AbortSignal): Promise<void> =>
      this.#lead(controllers, env, until, fence)
    if (storage.isExclusive) return lead(start.env, signal, signal)
    const env = { access: this.#parts.leaderAccess, clock: runtime.clock, monotonic: () => performance.now(), logger }
    return whileLeading(env, this.#leadership, signal, lead)
  }

  /**
   * Runs the loops until the signal aborts, at shutdown or when the Lease is lost. @param env its writes are fenced by
   * the Lease, as those with `fence`.
   */
  async #lead(controllers: readonly Controller[], env: ControllerEnvironment, signal: AbortSignal, fence: AbortSignal): Promise<void> {
    const { runtime, logger, storage, cluster, release } = this.#options
    const { backend, otherStores, compactionIntervalMs, history } = storage
    const loops = controllers.map(controller => controller({ ...env, queues: this.#parts.queues }, signal))
    const { queues: meters, clientOf } = this.#parts
    const synced = (): void => {
      this.#isClusterSynced = true
    }
    if (cluster)
      loops.push(
        cluster(
          {
            clientOf: identity => clientOf(identity, { signal, fence }),
            clock: env.clock,
            logger,
            meters,
            gates: release.gates,
            random: runtime.random,
            synced,
          },
          signal,
        ),
      )
    if (compactionIntervalMs > 0 && history === undefined)
      for (const store of [{ backend }, ...otherStores])
        loops.push(compactHistory({ backend: store.backend, logger, intervalMs: compactionIntervalMs, clock: env.clock }, signal))
    await Promise.all(loops)
  }

  /**
   * Enabled controllers, and those that every server needs: without them services, definitions and flow schemas would
   * never settle.
   */
  #controllers({ certificateAuthority }: ServiceStart): Controller[] {
    const { controllers, access, network } = this.#options
    const { gates } = this.#options.release
    const { isExclusive } = this.#options.storage
    const { catalog, hasPolicies, reservations, listStored, availability, foreign } = this.#parts
    const issuer = access.auth?.issuer
    const has = (name: ControllerName): boolean => controllers.enabled.has(name)
    const all = [
      has('namespace-controller') && namespaceController({ catalog, features: gates, foreign }),
      namespaceContentController({
        serviceAccount: has('serviceaccount-controller'),
        ...(has('root-ca-certificate-publisher-controller') && { certificateAuthority }),
      }),
      allocationRepairController(nodePortRange(network), isExclusive),
      definitionController(gates.release),
      issuer !== undefined && has('serviceaccount-token-controller') && serviceAccountTokenController(issuer, certificateAuthority),
      availability,
      flowControlKeeper(gates.release),
      flowSchemaStatusController,
      has('clusterrole-aggregation-controller') && clusterRoleAggregationController,
      hasPolicies() && has('validatingadmissionpolicy-status-controller') && policyStatusController(catalog),
      has('persistentvolumeclaim-protection-controller') && claimProtection,
      has('persistentvolumeclaim-protection-controller') && gates.enabled('PersistentVolumeClaimUnusedSinceTime') && claimUsageController,
      has('persistentvolume-protection-controller') && volumeProtection,
      has('volumeattributesclass-protection-controller') &&
        catalog.snapshot().definition('storage.k8s.io', VOLUME_ATTRIBUTES_CLASSES.resource) !== undefined &&
        attributesClassProtection,
      has('garbage-collector-controller') && garbageCollector(catalog),
      has('resourcequota-controller') &&
        resourceQuotaController({
          catalog,
          evaluators: new Evaluators(gates),
          reservations,
          listStored,
          resyncMs: controllers.quotaSyncPeriodMs,
          exclusive: isExclusive,
        }),
    ]
    return all.filter(controller => controller !== false)
  }
}
