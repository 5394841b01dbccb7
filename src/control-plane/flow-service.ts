import type { Catalog } from '../catalog/catalog.ts'
import { followFlowControl } from '../controllers/follow-flow-control.ts'
import { steadyFlowClock } from '../flow/flow-clock.ts'
import { FlowControl } from '../flow/flow-control.ts'
import type { FlowLimits } from '../flow/flow-limits.ts'
import { FlowMetrics } from '../flow/flow-metrics.ts'
import type { MetricFamily } from '../lib/metrics.ts'
import { pause } from '../lib/pause.ts'
import { isSince } from '../lifecycle/release.ts'
import { MANDATORY_SCHEMAS, mandatoryLevels } from '../resources/flowcontrol/bootstrap/mandatory.ts'
import type { ControlPlaneOptions } from './control-plane-options.ts'
import { onceBegun, type ReadinessCheck, type Service, type ServiceStart } from './service.ts'
import type { StoreService } from './store-service.ts'

/** Interval between adjustments of seats that priority levels lend and borrow, in milliseconds. */
const ADJUSTMENT_MS = 10_000

/** Dependencies of the service. */
export interface FlowServiceParts {
  readonly catalog: Catalog
  readonly stores: StoreService
}

/** API Priority and Fairness, configured by the stored flow schemas and priority levels. */
export class FlowService implements Service {
  /** Limits that the HTTP server applies to requests. */
  readonly limits: FlowLimits
  readonly metrics: readonly MetricFamily[]
  /** Readiness: false until the stored configuration has been read once. */
  readonly checks: readonly ReadinessCheck[]
  #isConfigured = false

  /** @param totalSeats above 0. */
  constructor(
    { release: { gates, emulatedVersion: release }, logger }: Pick<ControlPlaneOptions, 'release' | 'logger'>,
    totalSeats: number,
    { catalog, stores }: FlowServiceParts,
  ) {
    const clock = steadyFlowClock
    const metrics = new FlowMetrics(() => clock.now(), isSince(release, '1.34') ? 100 : 10)
    const flows = new FlowControl({
      totalSeats,
      clock,
      metrics,
      log: logger,
      mandatory: { levels: mandatoryLevels(release), schemas: MANDATORY_SCHEMAS },
      watchList: gates.enabled('WatchList'),
      consistentReadsFromCache: gates.enabled('ConsistentListFromCache'),
      bytesOf: gates.enabled('SizeBasedListCostEstimate')
        ? ({ group, resource }) => {
            const definition = catalog.snapshot().definition(group, resource)
            return definition?.storage === undefined ? 0 : stores.averageBytesOf(definition)
          }
        : undefined,
      countsLegacyWatches: isSince(release, '1.35'),
      countOf({ group, resource }) {
        const definition = catalog.snapshot().definition(group, resource)
        if (definition?.storage === undefined) return undefined
        const count = stores.countOf(definition)
        return count === undefined || count < 0 ? 'stale' : count
      },
    })
    this.limits = { flows, metrics, clock }
    this.metrics = metrics.families()
    this.checks = [
      onceBegun(
        'poststarthook/priority-and-fairness-config-consumer',
        () => this.#isConfigured,
        'the flow schemas and priority levels are not loaded yet',
      ),
    ]
  }

  /** Follows the stored configuration and adjusts seats until the signal aborts. */
  async start({ env }: ServiceStart, signal: AbortSignal): Promise<void> {
    const configured = (): void => {
      this.#isConfigured = true
    }
    await Promise.all([followFlowControl(env, this.limits.flows, signal, configured), this.#adjustNowAndThen(signal)])
  }

  async #adjustNowAndThen(signal: AbortSignal): Promise<void> {
    for (await pause(ADJUSTMENT_MS, signal); !signal.aborted; await pause(ADJUSTMENT_MS, signal)) this.limits.flows.adjust()
  }
}
