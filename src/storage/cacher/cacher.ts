import { setMaxListeners } from 'node:events'
import type { Clock, TimerClock } from '../../lib/clock.ts'
import { steadyClock } from '../../lib/clock.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { defined, invariant } from '../../lib/invariant.ts'
import type { Logger } from '../../lib/log.ts'
import { silentLogger } from '../../lib/log.ts'
import { type Backend, BackendError } from '../backend.ts'
import { type CorruptReports, plainReports } from '../corrupt.ts'
import { delay } from '../delay.ts'
import { DirectStorage, type FutureCode } from '../direct/direct-storage.ts'
import { abortedError, initializing, toStorageError } from '../errors.ts'
import type { RequestTimings } from '../request-timings.ts'
import { earlier, type Key, key, type Revision } from '../revision.ts'
import { Slabs } from '../slab.ts'
import type { Storage } from '../storage.ts'
import { StorageError } from '../storage.ts'
import { AwaitedStates } from './awaited-states.ts'
import { CacheRoutes } from './cache-routes.ts'
import { CachedStorage } from './cached-storage.ts'
import type { Cacher, CacherCore, CacherOptions, CacherStats, LoadingResource, SavedStates } from './cacher-types.ts'
import { ConsistencyChecks } from './consistency.ts'
import { FanOut } from './fan-out.ts'
import { Housekeeping } from './housekeeping.ts'
import { awaitSignal, LoadWaiters } from './load-waiters.ts'
import { copyAll, type LoadedState, loadAll, loadInRounds, loadSmall, measuredLoad, resourceLoad } from './loader.ts'
import { followingText, Reflector } from './reflector.ts'
import { type CachedResource, ResourceCache, type SavedState } from './resource-cache.ts'
import { RevisionClock } from './revision-clock.ts'
import { RevisionProbe } from './revision-probe.ts'

/** Creates a watch cache over a store: one watch feeds the caches of all resources. */
export function createCacher(backend: Backend, resources: readonly CachedResource[], options: CacherOptions = {}): Cacher {
  const cacher = new WatchCache(backend, options)
  for (const resource of resources) cacher.addResource(resource)
  cacher.start()
  return cacher
}

class WatchCache implements Cacher, CacherCore {
  readonly time = new RevisionClock()
  readonly clock: Clock
  readonly revisionWaitMs: number
  readonly queueLimit: number
  readonly queueBytes: number | undefined
  readonly bookmarkMs: number
  readonly consistentReads: boolean
  readonly exactReads: boolean
  readonly servesFuturePages: boolean
  readonly resilientStart: boolean
  readonly #backend: Backend
  readonly #prefix: Key
  readonly #logger: Logger
  readonly #reports: CorruptReports
  readonly #startWaitMs: number
  readonly #timers: TimerClock | undefined
  readonly #timings: RequestTimings | undefined
  readonly #bounds: { windowMs: number; bytes: number }
  readonly #slabs = new Slabs()
  readonly #fanOut: FanOut
  readonly #stop = new AbortController()
  readonly #probe: RevisionProbe
  readonly #reflector: Reflector
  readonly #caches = new Map<string, { cache: ResourceCache; storage: Storage }>()
  readonly #routes = new CacheRoutes()
  readonly #loads = new LoadWaiters()
  readonly #awaited = new AwaitedStates()
  /** Aborts the initial loads if everything is reloaded before they are complete. */
  #firstLoads = new AbortController()
  /** States to copy. Unset after the first attempt to copy them. */
  #beginWith: SavedStates | undefined
  /** Caches that have been read. Undefined if all caches load at start. */
  readonly #demanded: Set<ResourceCache> | undefined
  #started = false
  /** Number of full loads. A state that was read for one resource before the latest of them may lack changes. */
  #generation = 0
  #fallbacks = 0
  readonly #housekeeping: Housekeeping
  readonly #futureCode: FutureCode | undefined
  readonly #checks: ConsistencyChecks

  constructor(backend: Backend, options: CacherOptions) {
    this.#backend = backend
    this.#timers = options.timers
    this.#fanOut = new FanOut(options.rests ?? true)
    this.clock = options.clock ?? options.timers?.steady ?? steadyClock
    this.#logger = options.logger ?? silentLogger
    this.revisionWaitMs = options.revisionWaitMs ?? 3000
    this.queueLimit = options.queueLimit ?? 4096
    this.queueBytes = options.queueBytes
    this.bookmarkMs = options.bookmarkMs ?? 60_000
    this.consistentReads = options.consistentReads ?? true
    this.exactReads = options.exactReads ?? true
    this.servesFuturePages = options.servesFuturePages ?? false
    this.#futureCode = options.futureCode
    this.resilientStart = options.resilientStart ?? true
    this.#timings = options.timings
    this.#startWaitMs = options.startWaitMs ?? 3000
    this.#demanded = options.onDemand ? new Set() : undefined
    this.#reports = options.reports ?? plainReports
    this.#beginWith = options.beginWith
    this.#bounds = { windowMs: options.historyMs ?? 75_000, bytes: options.historyBytes ?? 16 << 20 }
    this.#housekeeping = new Housekeeping({
      routes: this.#routes,
      slabs: this.#slabs,
      time: this.time,
      clock: this.clock,
      timers: options.timers,
      bookmarkMs: this.bookmarkMs,
      onWatchers: options.onWatchers,
    })
    setMaxListeners(0, this.#stop.signal)
    this.#probe = new RevisionProbe(backend, this.#stop.signal)
    this.#prefix = options.prefix ?? key('/registry/')
    this.#reflector = new Reflector({
      backend,
      prefix: this.#prefix,
      onOpen: () => this.#checks.opened(),
      time: this.time,
      clock: this.clock,
      logger: this.#logger,
      target: {
        load: signal => measuredLoad([...(this.#demanded ?? this.#routes.values())], this.clock, caches => this.#load(caches, signal)),
        prepare: event => this.#routes.find(event.key)?.prepare(event),
        apply: (event, arrived) => this.#routes.apply(event, this.clock.now(), options.measuresDispatch ? arrived : undefined),
      },
    })
    this.#checks = new ConsistencyChecks({
      core: this,
      backend,
      logger: this.#logger,
      intervalMs: options.consistencyCheckMs ?? 300_000,
      recheckMs: options.recheckMs ?? 30_000,
      caches: () => this.#routes.values(),
      isOpen: () => this.#reflector.open,
      generation: () => this.#generation,
      prepare: signal => this.#reflector.reconsider(signal),
      readAnew: cache => {
        cache.held = []
        return this.#loadOne(cache)
      },
    })
  }

  start(): void {
    this.#started = true
    this.#reflector.start()
    this.#housekeeping.start()
    this.#checks.start(this.#stop.signal)
  }

  storageFor(name: string): Storage {
    const entry = this.#caches.get(name)
    invariant(entry, `${name} is not cached`)
    return entry.storage
  }

  addResource(resource: CachedResource): Storage {
    invariant(!this.#caches.has(resource.name) && !this.#routes.has(resource.prefix), `${resource.name} is cached already`)
    const cache = new ResourceCache(resource, this.#bounds, this.#slabs, this.#fanOut, this.#reports)
    cache.waitsSince = this.clock.now()
    const direct = new DirectStorage(this.#timings?.timed(this.#backend, resource.name) ?? this.#backend, resource.codec, {
      revisionWaitMs: this.revisionWaitMs,
      queueLimit: this.queueLimit,
      queueBytes: this.queueBytes,
      counts: cache.counts.stored,
      onSlowWatcher: () => cache.counts.slowWatchers++,
      bookmarkMs: this.bookmarkMs,
      timers: this.#timers,
      reports: this.#reports,
      futureFails: true,
      futureCode: this.#futureCode,
      removed: cache.removal.signal,
    })
    const storage = new CachedStorage(this, cache, direct)
    this.#caches.set(resource.name, { cache, storage })
    this.#routes.add(cache)
    // A resource on demand holds no events before its first reader.
    if (this.#demanded) cache.held = undefined
    else {
      this.#awaited.add(cache)
      if (this.#started) void this.#loadOne(cache)
    }
    return storage
  }

  removeResource(name: string, lingerMs = 0): void {
    const entry = this.#caches.get(name)
    if (entry === undefined) return
    this.#caches.delete(name)
    this.#routes.remove(entry.cache, lingerMs)
    this.#demanded?.delete(entry.cache)
    this.#arrived(entry.cache)
  }

  ready(): boolean {
    return this.#awaited.isReady
  }

  loading(): readonly LoadingResource[] {
    return this.#awaited.list()
  }

  async synced(signal: AbortSignal): Promise<void> {
    while (!this.ready()) await this.#loads.next(signal)
  }

  async loaded(cache: ResourceCache, signal: AbortSignal): Promise<void> {
    if (this.#demanded && !this.#demanded.has(cache) && !cache.removed) {
      this.#demanded.add(cache)
      cache.held = []
      cache.waitsSince = this.clock.now()
      void this.#loadOne(cache)
    }
    const until = this.resilientStart ? performance.now() + this.#startWaitMs : Number.POSITIVE_INFINITY
    while (!cache.loaded && !cache.removed) {
      if (this.#stop.signal.aborted) throw new StorageError('unavailable', 'the server is shutting down')
      if (!(await this.#loads.next(signal, until - performance.now()))) throw initializing(this.clock.now() - cache.waitsSince)
    }
  }

  async probe(signal: AbortSignal): Promise<Revision> {
    if (signal.aborted) throw abortedError(signal)
    try {
      return await awaitSignal(this.#probe.revision(), signal)
    } catch (error) {
      throw toStorageError(error)
    }
  }

  comesTo(revision: Revision): boolean {
    return revision <= this.time.now || this.#reflector.following !== 'events'
  }

  suspect(): void {
    this.#fallbacks++
    this.#reflector.reopen()
  }

  forget(upTo: Revision): void {
    for (const { cache } of this.#caches.values()) cache.history.forget(earlier(upTo, this.time.now))
  }

  count(name: string): number | undefined {
    const cache = this.#caches.get(name)?.cache
    return cache?.loaded ? cache.tree.size : undefined
  }

  averageBytes(name: string): number {
    return this.#caches.get(name)?.cache.averageBytes ?? 0
  }

  following(): string | undefined {
    const { following } = this.#reflector
    return following && this.#backend.watchProof && followingText(following, this.#prefix)
  }

  stats(): CacherStats {
    return {
      revision: this.time.now,
      relists: this.#reflector.relists,
      progressRequests: this.#reflector.progressRequests,
      probes: this.#probe.count,
      fallbacks: this.#fallbacks,
      resources: [...this.#caches.values()].map(({ cache }) => cache.stats()),
    }
  }

  kept(): SavedStates | undefined {
    if (!this.ready()) return undefined
    const of = new Map<Key, SavedState>()
    for (const { cache } of this.#caches.values()) {
      const state = cache.kept()
      if (state !== undefined) of.set(cache.resource.prefix, state)
    }
    return { revision: this.time.now, of }
  }

  async close(): Promise<void> {
    this.#housekeeping.close()
    this.#stop.abort()
    await this.#reflector.close()
    await this.#checks.ended
    for (const { cache } of this.#caches.values()) cache.interest.end()
    this.#routes.endLingering()
    this.#loads.wake()
  }

  /**
   * Loads all states. At first, each resource is served when it is complete, while the reflector follows the store.
   * Later, all are replaced in one step: the present ones lack changes.
   */
  async #load(caches: readonly ResourceCache[], signal: AbortSignal): Promise<void> {
    const route = (key: Key): ResourceCache | undefined => this.#routes.find(key)
    const kept = this.#beginWith
    this.#beginWith = undefined
    if (kept !== undefined) return this.#replaceAll(await copyAll(this.#backend, caches, kept, signal))
    if (this.#generation > 0) {
      this.#firstLoads.abort()
      // The events held so far are part of the state that is about to be read.
      for (const cache of caches) if (cache.loaded) cache.held = undefined
      return this.#replaceAll(await loadAll(this.#backend, caches, route, signal))
    }
    const small = await loadSmall(this.#backend, caches, route, signal)
    if (typeof small === 'object') return this.#replaceAll(small)
    this.#replaceAll({ revision: small, states: new Map() })
    void this.#loadFirst(caches, small)
  }

  /**
   * Replaces the states in one step, so that no reader sees those of different revisions. Watches of removed resources
   * that linger end here.
   */
  #replaceAll({ revision, states }: LoadedState): void {
    const now = this.clock.now()
    this.#routes.endLingering()
    for (const [cache, state] of states) cache.replace(state, revision, now)
    this.#generation++
    this.time.set(revision)
    this.#awaited.begin()
    for (const cache of states.keys()) this.#awaited.remove(cache)
    this.#loads.wake()
  }

  /** Loads initial states, those with few objects first. */
  async #loadFirst(caches: readonly ResourceCache[], at: Revision): Promise<void> {
    const signal = AbortSignal.any([this.#stop.signal, this.#firstLoads.signal])
    const loads = caches.filter(cache => !cache.removed).map(cache => resourceLoad(this.#backend, cache, at, signal))
    for (const load of loads) this.#awaited.reads(load)
    await loadInRounds(
      loads,
      ({ cache, state }) => {
        if (cache.removed || signal.aborted) return
        cache.replace(state, at, this.clock.now())
        this.#arrived(cache)
      },
      ({ cache }, error) => {
        if (signal.aborted) return
        this.#warnOf(cache, error)
        void this.#loadOne(cache)
      },
    )
  }

  /**
   * Loads one resource, which holds back its events meanwhile, and installs the state when the reflector has reached
   * its revision.
   */
  async #loadOne(cache: ResourceCache): Promise<void> {
    const { signal } = this.#stop
    for (let pause = 100; cache.held !== undefined && !cache.removed && !signal.aborted; pause = Math.min(2 * pause, 2000)) {
      // If the reflector cannot promise to reach the store's newest revision, the state is read at its present one.
      const at = this.#reflector.following === 'events' ? this.time.now : undefined
      cache.readSince = this.clock.now()
      try {
        const generation = this.#generation
        const load = resourceLoad(this.#backend, cache, at, signal)
        this.#awaited.reads(load)
        await load.readUpTo(Number.POSITIVE_INFINITY)
        const revision = defined(load.revision, 'a state that was read has a revision')
        await this.time.reach(revision, signal, this.revisionWaitMs)
        if (cache.held === undefined || generation !== this.#generation) continue
        cache.replace(load.state, revision, this.clock.now())
        this.#arrived(cache)
      } catch (error) {
        this.#warnOf(cache, error)
        if (at !== undefined && error instanceof BackendError && error.code === 'compacted') this.#reflector.relist()
        await delay(pause, signal).catch(() => {})
      }
    }
  }

  /** Counts and logs a failed load, which is tried again. */
  #warnOf({ resource, counts }: ResourceCache, error: unknown): void {
    counts.failedLoads++
    this.#logger.warn('cannot load a resource into the watch cache', { resource: resource.name, error: errorMessage(error) })
  }

  /** Releases reads that wait for a resource, which is loaded or no longer served. */
  #arrived(cache: ResourceCache): void {
    this.#awaited.remove(cache)
    this.#loads.wake()
  }
}
