import type { Catalog } from '../catalog/catalog.ts'
import type { HistoryConfig } from '../config/store-config.ts'
import { retainHistory } from '../controllers/compaction.ts'
import { serveMoment } from '../endpoints/history/moments.ts'
import { serveHistory } from '../endpoints/history/object-history.ts'
import type { OwnRoute } from '../endpoints/own-route.ts'
import { type MetricDeclaration, type MetricFamily, ReadGauge } from '../lib/metrics.ts'
import type { StoreHistory } from '../storage/store-history.ts'
import type { ControlPlaneOptions } from './control-plane-options.ts'
import type { Service, ServiceStart } from './service.ts'
import type { StoreService } from './store-service.ts'

/** Dependencies of the history service. */
export interface HistoryServiceParts {
  /** History of the default store. */
  readonly history: StoreHistory
  readonly catalog: Catalog
  readonly stores: StoreService
}

/** Path of the histories of objects. The path of the object follows. */
const OBJECTS = '/binnacle/v1/history/'

/** Retention of the store's history, and the endpoints that read it. */
export class HistoryService implements Service {
  readonly metrics: readonly MetricFamily[]
  readonly routes: readonly OwnRoute[]
  readonly #history: StoreHistory
  readonly #kept: HistoryConfig

  constructor(
    options: Pick<ControlPlaneOptions, 'storage' | 'access' | 'runtime'>,
    kept: HistoryConfig,
    { history, catalog, stores }: HistoryServiceParts,
  ) {
    const { etcdPrefix } = options.storage
    const { authorizer } = options.access
    const { clock } = options.runtime
    this.#history = history
    this.#kept = kept
    this.metrics = metricsOf(history)
    const env = { history, catalog, etcdPrefix, authorizer, clock, codecFor: stores.codecFor.bind(stores) }
    this.routes = [
      {
        path: '/binnacle/v1/moments',
        methods: ['GET'],
        handle: async exchange => serveMoment(exchange, history, clock.now()),
      },
      { path: OBJECTS, methods: ['GET'], handle: exchange => serveHistory(exchange, OBJECTS, env) },
    ]
  }

  /** Compacts states that are older than the retention allows, until the signal aborts. */
  start({ env }: ServiceStart, signal: AbortSignal): Promise<void> {
    return retainHistory({ history: this.#history, logger: env.logger, clock: env.clock, ...this.#kept }, signal)
  }
}

/** Metrics of the history. */
const metricsOf = (history: StoreHistory): MetricFamily[] => {
  const gauge = (name: string, help: string, read: () => number): MetricFamily => {
    const declaration: MetricDeclaration = { name: `binnacle_history_${name}`, help, stability: 'ALPHA', labels: [], across: 'max' }
    return new ReadGauge(declaration, () => [['', read()]])
  }
  return [
    gauge('oldest_timestamp_seconds', 'Time of the oldest state in the history of the store.', () => history.oldest().time / 1000),
    gauge('bytes', 'Bytes of the store that only past states use.', () => history.size().bytes),
    gauge('revisions', 'Number of states in the history of the store.', () => history.size().revisions),
  ]
}
