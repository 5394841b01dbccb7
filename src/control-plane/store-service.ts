import type { ResourceDefinition } from '../catalog/definition.ts'
import type { GoneVersion } from '../catalog/gone-versions.ts'
import { systemClock } from '../lib/clock.ts'
import { type MetricFamily, ReadGauge } from '../lib/metrics.ts'
import { isSince } from '../lifecycle/release.ts'
import { qualifiedResource } from '../meta/gvk.ts'
import { codecOf, storedAsOf } from '../registry/codec.ts'
import type { Backend } from '../storage/backend.ts'
import type { SavedStates } from '../storage/cacher/cacher-types.ts'
import { cachedLists, cacherMetrics } from '../storage/cacher/metrics.ts'
import type { CachedResource } from '../storage/cacher/resource-cache.ts'
import { namedReports } from '../storage/corrupt.ts'
import { listMetrics } from '../storage/list-metrics.ts'
import { RequestTimings } from '../storage/request-timings.ts'
import { groupAndName } from '../storage/resource-labels.ts'
import { key, type Revision } from '../storage/revision.ts'
import { storageSize } from '../storage/size-gauge.ts'
import type { ResourceCodec, Storage } from '../storage/storage.ts'
import type { ControlPlaneOptions, OtherStore, StorageOptions } from './control-plane-options.ts'
import { routedStores } from './routed-stores.ts'
import type { Runtime } from './runtime.ts'
import type { ReadinessCheck, Service } from './service.ts'
import { openStores, type Stores, type StoresOptions } from './stores.ts'

/** Maximum number of resources that the readiness check names. */
const MOST_NAMED = 10

/** Cached encodings and parsed objects expire if unused for two to four minutes. */
const AGING = { intervalMs: 1000, looks: 120 } as const

/**
 * Time for which watches of a replaced kind go on. Source: k8s.io/apiextensions-apiserver 1.33,
 * pkg/apiserver/customresource_handler.go, tearDown.
 */
const LINGER_MS = 1000

/** Storage of all resources. Owns the stores and closes them. Watch caches start to fill when it is created. */
export class StoreService implements Service {
  readonly #options: StorageOptions
  readonly #runtime: Runtime
  /** Whether custom resources are stored as CBOR (the gate CBORServingAndStorage). */
  readonly #storesCbor: boolean
  readonly #stores: Stores
  readonly #timings: RequestTimings
  readonly metrics: readonly MetricFamily[]
  readonly checks: readonly ReadinessCheck[]
  readonly #aging: NodeJS.Timeout
  /** Resolves when all kinds stored at start are known. */
  #expected: Promise<void> = Promise.resolve()
  #isComplete = true
  #wasReady = false

  /** @param signal aborted at shutdown. */
  constructor(
    options: Pick<ControlPlaneOptions, 'runtime' | 'logger' | 'release' | 'storage' | 'observability'>,
    definitions: readonly ResourceDefinition[],
    signal: AbortSignal,
  ) {
    const { runtime, logger, storage } = options
    this.#options = storage
    this.#runtime = runtime
    this.#storesCbor = options.release.gates.enabled('CBORServingAndStorage')
    const { backend, otherStores, probes, isCached, etcdPrefix } = storage
    const { gates } = options.release
    const { onWatchers } = options.observability
    const timings = new RequestTimings(gates.release, runtime.recent?.notes)
    this.#timings = timings
    const stored = definitions.filter(definition => definition.storage !== undefined).map(definition => this.#cachedResource(definition))
    const storesOptions: StoresOptions = {
      logger,
      prefix: key(`${etcdPrefix}/`),
      ...(runtime.clock !== systemClock && { timers: runtime.clock }),
      rests: runtime.settled === undefined,
      consistentReads: gates.enabled('ConsistentListFromCache'),
      measuresDispatch: isSince(gates.release, '1.37'),
      resilientStart: gates.enabled('ResilientWatchCacheInitialization'),
      exactReads: gates.enabled('ListFromCacheSnapshot'),
      ...(isSince(gates.release, '1.34') ? { futureCode: 'too large revision' } : { servesFuturePages: true }),
      timings,
      beginWith: storage.origin?.states,
      ...(gates.enabled('AllowUnsafeMalformedObjectDeletion') && { reports: namedReports(etcdPrefix, isSince(gates.release, '1.37')) }),
      isCached,
      onDemand: storage.cachesOnDemand,
      ...(onWatchers && { onWatchers }),
    }
    this.#stores = storesOf(options, stored, storesOptions)
    this.#aging = setInterval(() => runtime.derived.age(AGING.looks), AGING.intervalMs).unref()
    this.checks = [
      { ...answers('etcd', backend, probes.healthMs), note: () => this.#stores.following() },
      { ...answers('etcd-readiness', backend, probes.readyMs), endpoints: ['readyz'] },
      ...otherStores.map(checkOfOther(probes.readyMs, this.#stores)),
      {
        name: 'informer-sync',
        endpoints: ['readyz'],
        progress: () => this.#progress(),
        check: () => {
          if (!this.#isReady()) throw new Error(this.#progress())
        },
      },
    ]
    this.metrics = [
      objectCounts(this.#stores),
      ...resourceSizes(this.#stores, gates.enabled('SizeBasedListCostEstimate')),
      ...cacherMetrics(this.#stores.cachers, etcdPrefix, { release: gates.release, shards: gates.enabled('ShardedListAndWatch') }),
      ...listMetrics({ stored: () => this.#stores.listCounts(), cached: () => cachedLists(this.#stores.cachers) }, gates.release),
      ...timings.families(),
      storageSize(
        new Map([
          [storage.isExclusive ? 'embedded' : 'etcd-0', backend],
          ...otherStores.map(({ name, backend }) => [name, backend] as const),
        ]),
        probes.sizeEveryMs,
        signal,
      ),
    ]
  }

  /** The main store, also for values on which servers agree. Closed by `close`. */
  get backend(): Backend {
    return this.#options.backend
  }

  /** Returns the storage of a kind that was passed to the constructor or to `add`. Throws for others. */
  storageFor(definition: ResourceDefinition): Storage {
    return this.#stores.storageFor(qualifiedName(definition))
  }

  /** Returns the codec that decodes stored objects of a kind. */
  codecFor(definition: ResourceDefinition): ResourceCodec {
    return this.#cachedResource(definition).codec
  }

  /** Returns the number of objects of a kind. Undefined if not known yet, -1 if counting failed. */
  countOf(definition: ResourceDefinition): number | undefined {
    return this.#stores.count(qualifiedName(definition))
  }

  /** Returns the average size of an object of a kind in bytes, or 0 if unknown. */
  averageBytesOf(definition: ResourceDefinition): number {
    return this.#stores.averageBytes(qualifiedName(definition))
  }

  /** Adds a kind. Its objects can be read and written as soon as this returns. */
  add(definition: ResourceDefinition): void {
    this.#stores.add(this.#cachedResource(definition))
  }

  /** Replaces a kind by another of its name. Watches of the old one end a second later, as upstream's do. */
  replace(old: ResourceDefinition, next: ResourceDefinition): void {
    this.#stores.remove(qualifiedName(old), LINGER_MS)
    this.add(next)
  }

  /** Removes a kind and ends its watches. Its objects stay in the store. */
  remove(definition: ResourceDefinition): void {
    this.#stores.remove(qualifiedName(definition))
  }

  forgetVersion({ group, resource, isLast }: GoneVersion): void {
    if (isLast) this.#timings.forget(qualifiedResource({ group, resource }))
  }

  /** Drops history up to a revision to which the store is compacted. */
  forget(upTo: Revision): void {
    this.#stores.forget(upTo)
  }

  /** Resolves once every resource can be read from memory. */
  synced(signal: AbortSignal): Promise<void> {
    return this.#stores.synced(signal)
  }

  /** Delays readiness until the promise resolves and the kinds added before that are loaded. */
  expect(added: Promise<void>): void {
    this.#expected = this.#expected.then(() => added)
    const expected = this.#expected
    this.#isComplete = false
    void expected.then(() => {
      if (expected === this.#expected) this.#isComplete = true
    })
  }

  /** Latches: a kind that is added later loads while the server is ready. */
  #isReady(): boolean {
    this.#wasReady ||= this.#isComplete && this.#stores.ready() && this.#stores.loading().length === 0
    return this.#wasReady
  }

  /** Names the resources that are not loaded yet: first those being read, with their object counts, then the others. */
  #progress(): string {
    const waiting = this.#stores.loading().toSorted((a, b) => b.objects - a.objects || (a.name < b.name ? -1 : 1))
    if (waiting.length === 0) return 'waiting for the stored custom resource definitions'
    const named = waiting.slice(0, MOST_NAMED).map(({ name, objects }) => (objects === 0 ? name : `${name} (${objects} objects so far)`))
    return `loading ${named.join(', ')}${waiting.length > MOST_NAMED ? ` and ${waiting.length - MOST_NAMED} more` : ''}`
  }

  /** Returns the states of the watch caches for a copy of the store. Undefined until they are filled. */
  kept(): SavedStates | undefined {
    return this.#stores.kept()
  }

  /** Ends watches and closes the stores. Neither may be used afterwards. */
  async close(): Promise<void> {
    clearInterval(this.#aging)
    await this.#stores.close()
    await Promise.all([this.#options, ...this.#options.otherStores].map(({ backend }) => backend.close()))
  }

  /** Description of a kind for the stores: keys, codec, encryption and index. */
  #cachedResource(definition: ResourceDefinition): CachedResource {
    const { etcdPrefix, fingerprint, encryption } = this.#options
    const storedAs = this.#storesCbor && definition.hub.schema.form.name === 'unstructured' ? 'cbor' : this.#options.storedAs
    return {
      name: qualifiedName(definition),
      prefix: key(`${etcdPrefix}/${definition.storage?.prefix}/`),
      codec: codecOf(definition, fingerprint, storedAs, encryption.transformerFor(storedAsOf(definition)), this.#runtime.derived),
      namespaced: definition.scope === 'Namespaced',
      ...(definition.storage?.indexedBy && { index: definition.storage.indexedBy.field }),
    }
  }
}

/** Opens one store, or several combined. */
function storesOf(
  { storage: { backend, otherStores }, logger }: Pick<ControlPlaneOptions, 'storage' | 'logger'>,
  resources: readonly CachedResource[],
  options: StoresOptions,
): Stores {
  if (otherStores.length === 0) return openStores(backend, resources, options)
  for (const name of otherStores.flatMap(other => [...other.resources]))
    if (!resources.some(resource => resource.name === name))
      logger.warn('--etcd-servers-overrides names an unknown resource', { resource: name })
  const isElsewhere = ({ name }: CachedResource): boolean => otherStores.some(other => other.resources.has(name))
  return routedStores(
    openStores(
      backend,
      resources.filter(resource => !isElsewhere(resource)),
      options,
    ),
    otherStores.map(other => {
      const held = resources.filter(({ name }) => other.resources.has(name))
      return { resources: new Set(held.map(({ name }) => name)), stores: openStores(other.backend, held, options) }
    }),
  )
}

const answers = (name: string, backend: Backend, timeoutMs: number): ReadinessCheck => ({
  name,
  timeoutMs,
  check: () => backend.check(AbortSignal.timeout(timeoutMs)),
})

/** Health check of an additional store. Informational only, since kube-apiserver is ready without it too. */
const checkOfOther =
  (timeoutMs: number, stores: Stores) =>
  ({ name, resources, backend }: OtherStore): ReadinessCheck => ({
    ...answers(name, backend, timeoutMs),
    endpoints: ['readyz'],
    informs: true,
    note: () => stores.following([...resources][0]),
    progress: () => `the store of ${[...resources].join(', ')} does not respond; readiness does not wait for it`,
  })

const objectCounts = (stores: Stores): MetricFamily =>
  new ReadGauge(
    {
      name: 'apiserver_storage_objects',
      help: 'Number of stored objects by resource.',
      stability: 'STABLE',
      labels: ['resource'],
      across: 'max',
    },
    () => stores.counts(),
  )

/**
 * Object counts by group and resource, and their total size if lists are charged by size. Source: k8s.io/apiserver
 * 1.34, pkg/storage/etcd3/metrics.
 */
function resourceSizes(stores: Stores, bySize: boolean): MetricFamily[] {
  const gauge = (name: string, help: string, count: (name: string, objects: number) => number): MetricFamily => ({
    name,
    help,
    stability: 'ALPHA',
    type: 'gauge',
    labels: ['group', 'resource'],
    across: 'max',
    *samples() {
      for (const [qualified, objects] of stores.counts()) {
        const [group, resource] = groupAndName(qualified)
        yield { metricName: name, labels: { group, resource }, value: count(qualified, objects) }
      }
    },
  })
  const sizeOf = (name: string, objects: number): number => {
    const average = stores.averageBytes(name)
    return objects > 0 && average === 0 ? -1 : Math.max(objects, -1) * average
  }
  const sizes = 'Estimated bytes of stored objects, from the objects in the watch cache; -1 if it is unknown.'
  return [
    gauge(
      'apiserver_resource_objects',
      'Number of stored objects by group and resource; -1 if they could not be counted.',
      (_name, objects) => objects,
    ),
    ...(bySize ? [gauge('apiserver_resource_size_estimate_bytes', sizes, sizeOf)] : []),
  ]
}

/** Qualified name of a resource: `pods`, `deployments.apps`. */
const qualifiedName = ({ hub }: ResourceDefinition): string => qualifiedResource({ group: hub.group, resource: hub.names.plural })
