import { setMaxListeners } from 'node:events'
import { errorMessage } from '../../lib/error-message.ts'
import type { BackendEvent, KeyValue, VisitedItem } from '../backend.ts'
import { type CorruptReports, readFaultOf } from '../corrupt.ts'
import { prefixEnd } from '../key-range.ts'
import { PageCounts } from '../page-counts.ts'
import type { ReadFault } from '../read-fault.ts'
import { type ChangeTimes, RecordedChange } from '../recorded-change.ts'
import { type Key, NO_REVISION, type Revision } from '../revision.ts'
import type { Slabs } from '../slab.ts'
import type { ResourceCodec } from '../storage.ts'
import { StorageError } from '../storage.ts'
import { Stored } from '../stored-object.ts'
import type { FanOut } from './fan-out.ts'
import { History, type HistoryBounds } from './history.ts'
import { Interest } from './interest.ts'
import { LabelIndexes } from './label-indexes.ts'
import { copyTree, emptyTree, type ObjectTree } from './object-tree.ts'
import { ResourceCounts } from './resource-counts.ts'
import type { ResourceStats } from './resource-stats.ts'
import { TreeBuilder } from './tree-builder.ts'
import { fieldIndex, type ValueIndex } from './value-index.ts'

/** Properties of a resource to cache. */
export interface CachedResource {
  /** Unique: `pods`, `deployments.apps`. */
  readonly name: string
  /** Key prefix, with a trailing slash: `/registry/pods/`. */
  readonly prefix: Key
  readonly codec: ResourceCodec
  /** Whether keys are prefix, namespace, slash, name. Otherwise they are prefix and name. */
  readonly namespaced: boolean
  /** Optional. Field that the codec indexes. Selectors of it find their objects and watchers without a scan. */
  readonly index?: string
}

/** A state that the cache of another server copies. It must not be changed. */
export interface SavedState {
  readonly tree: ObjectTree
  /** Total size of the objects, in bytes. */
  readonly bytes: number
}

/** A state that is being loaded and will replace the present one. */
export interface Loading {
  objects: TreeBuilder
  readonly index: ValueIndex
  readonly corrupt: Map<Key, Corrupt>
  /** Total size of the objects, in bytes. */
  bytes: number
}

/** Stored bytes of an object that cannot be read, and the reason. */
interface Corrupt {
  readonly fault: ReadFault
  readonly held: Buffer
}

/** Limits of one pass that rereads unreadable objects: objects tried, and failures. */
const MOST_REREAD = 1000
const MOST_FAILURES = 100

/**
 * Present state, latest changes and watchers of one resource. Its methods are synchronous, except `copy`: state,
 * history and watchers change in one step.
 */
export class ResourceCache {
  readonly resource: CachedResource
  readonly interest: Interest
  readonly history: History
  tree: ObjectTree = emptyTree()
  /** Total size of the objects' JSON responses, in bytes. */
  bytes = 0
  /** Index of the present state. */
  index = fieldIndex()
  readonly labels = new LabelIndexes()
  readonly pages = new PageCounts()
  /** Objects that cannot be read. Requests for a range that includes one are served by the store. */
  corrupt = new Map<Key, Corrupt>()
  loaded = false
  /** Since when readers wait for the initial state, on the cacher's clock. */
  waitsSince = 0
  /** Start of the latest read of the state, on the cacher's clock. */
  readSince = 0
  /** Aborted when the resource is no longer served. */
  readonly removal = new AbortController()
  /** Events that arrive while a state is being loaded; undefined at other times. */
  held: BackendEvent[] | undefined = []
  readonly counts = new ResourceCounts()
  /** Revision of the loaded state. It includes every change up to this revision. */
  #readAt = NO_REVISION
  readonly #slabs: Slabs
  readonly #reports: CorruptReports

  constructor(resource: CachedResource, bounds: HistoryBounds, slabs: Slabs, fanOut: FanOut, reports: CorruptReports) {
    this.resource = resource
    this.history = new History(NO_REVISION, bounds)
    this.interest = new Interest(resource.prefix, fanOut, this.counts.dispatch)
    this.#slabs = slabs
    this.#reports = reports
    setMaxListeners(0, this.removal.signal) // one for each watch of the store
  }

  /** Whether the resource is no longer served. */
  get removed(): boolean {
    return this.removal.signal.aborted
  }

  /** Ends all watches. Requests that still use the storage read from the store. */
  remove(): void {
    this.loaded = false
    this.interest.end()
    this.removal.abort()
  }

  readonly #allocate = (size: number): Buffer => this.#slabs.allocate(size)

  static loading = (): Loading => ({ objects: new TreeBuilder(), index: fieldIndex(), corrupt: new Map(), bytes: 0 })

  /**
   * Returns the present state; undefined while it is not loaded, or if part of it cannot be read. Takes constant time.
   */
  kept(): SavedState | undefined {
    return this.loaded && this.held === undefined && this.corrupt.size === 0 ? { tree: this.tree.clone(), bytes: this.bytes } : undefined
  }

  /** Average size of an object in bytes; 0 if there is none. */
  get averageBytes(): number {
    return this.loaded && this.tree.size > 0 ? Math.floor(this.bytes / this.tree.size) : 0
  }

  stats(): ResourceStats {
    const { name, prefix, index } = this.resource
    return {
      name,
      prefix,
      index,
      loaded: this.loaded,
      objects: this.tree.size,
      watchers: this.interest.size,
      historyEvents: this.history.length,
      historyBytes: this.history.bytes,
      historyForcedOut: this.history.forcedOut,
      counts: this.counts,
    }
  }

  /** Copies the state of another cache of the same resource, instead of reading it from the store. */
  async copy(into: Loading, { tree, bytes }: SavedState): Promise<void> {
    const { codec, index } = this.resource
    const copy = await copyTree(tree, object => {
      const own = object.sharedWith(codec)
      if (index !== undefined) into.index.put(own, undefined)
      return own
    })
    into.objects = new TreeBuilder(copy)
    into.bytes = bytes
  }

  /** Adds an object to a state that is being loaded. Its labels are read when a selector first needs them. */
  load(into: Loading, item: VisitedItem): void {
    const { key, modRevision } = item
    try {
      const object = this.#kept(item) ?? this.#copied(item)
      into.objects.add(key, object)
      into.bytes += object.size
      if (this.resource.index !== undefined) into.index.put(object, undefined)
    } catch (error) {
      into.corrupt.set(key, corruptOf(key, modRevision, item.value, error))
      this.counts.unreadable++
    }
  }

  /** Returns an object in the memory of its page, if that can be kept. */
  #kept({ key, modRevision, held }: VisitedItem): Stored | undefined {
    const object = held && Stored.keep(key, modRevision, this.resource.codec, held)
    if (object) this.#slabs.adopt(object.slab)
    return object
  }

  #copied({ key, modRevision, value }: KeyValue): Stored {
    const object = Stored.read(key, modRevision, this.resource.codec, value, this.#allocate)
    object.keepIn(this.#slabs)
    return object
  }

  /**
   * Installs a loaded state at its revision, and applies the events held back since. Watchers of the old state end with
   * `expired`.
   */
  replace({ objects, index, corrupt, bytes }: Loading, at: Revision, now: number): void {
    this.interest.end(new StorageError('expired', 'changes were lost, and the state was reloaded', { revision: at }))
    this.tree = objects.finish()
    this.bytes = bytes
    this.index = index
    this.labels.clear()
    this.pages.forget()
    this.corrupt = corrupt
    this.history.reset(at)
    this.#readAt = at
    this.loaded = true
    this.counts.initializations++
    this.counts.loadTimes.observe((now - this.readSince) / 1000)
    const held = this.held ?? []
    this.held = undefined
    for (const event of held) if (event.modRevision > at) this.apply(event, now)
  }

  /** Decodes the value of an event in turns if it is large, for `apply`. */
  prepare({ key, modRevision, value }: BackendEvent): Promise<void> | undefined {
    return this.loaded && value ? this.resource.codec.prepare(value, key, modRevision) : undefined
  }

  /**
   * Applies an event. Events must arrive in order of their revisions; those up to the loaded state are ignored. While
   * the cache loads, they are held back as well. An object that cannot be read leaves the state, and interrupts the
   * watchers that would receive it.
   *
   * @param arrived when the event arrived from the store, on the clock of `performance.now()`. Undefined if its
   * delivery is not measured
   */
  apply(event: BackendEvent, now: number, arrived?: number): void {
    this.held?.push(event)
    if (!this.loaded) return
    const { key, modRevision, value } = event
    if (modRevision <= this.#readAt) return
    this.counts.received++
    const previous = this.tree.get(key)
    const corrupt = this.corrupt.get(key)
    this.corrupt.delete(key)
    if (value === undefined) {
      if (corrupt !== undefined) this.#interrupt(this.#reports.deletion(corrupt.fault), modRevision)
      else if (previous !== undefined) {
        this.#remove(previous)
        this.#publish(new RecordedChange(key, modRevision, undefined, previous, timesOf(arrived)), now)
      }
      return
    }
    let object: Stored
    try {
      object = Stored.read(key, modRevision, this.resource.codec, value, this.#allocate)
      object.prepare()
    } catch (error) {
      const found = corruptOf(key, modRevision, value, error)
      if (previous !== undefined) this.#remove(previous)
      this.corrupt.set(key, found)
      this.counts.unreadable++
      this.#interrupt(this.#reports.event(found.fault), modRevision)
      return
    }
    this.#put(object, previous)
    this.#publish(new RecordedChange(key, modRevision, object, previous, timesOf(arrived)), now)
  }

  #put(object: Stored, previous: Stored | undefined): void {
    object.keepIn(this.#slabs)
    this.tree.set(object.key, object)
    this.bytes += object.size - (previous?.size ?? 0)
    this.index.put(object, previous)
    this.labels.put(object, previous)
    previous?.retire()
  }

  #remove(object: Stored): void {
    this.tree.delete(object.key)
    this.bytes -= object.size
    this.index.remove(object)
    this.labels.remove(object)
    object.retire()
  }

  #publish(change: RecordedChange, now: number): void {
    this.history.add(change, now)
    this.interest.publish(change)
    this.counts.dispatched++
  }

  /**
   * Ends all watches, because a change cannot be shown. A watcher that resumes from an older revision is served by the
   * store.
   */
  #interrupt(why: StorageError, at: Revision): void {
    this.interest.end(why)
    this.history.reset(at)
  }

  /** Tries again to read unreadable objects: encryption keys may have changed. */
  reread(): void {
    let failures = 0
    let left = Math.min(MOST_REREAD, this.corrupt.size)
    for (const [key, corrupt] of this.corrupt) {
      if (left-- === 0 || failures === MOST_FAILURES) return
      this.corrupt.delete(key)
      const { fault, held } = corrupt
      try {
        const object = Stored.read(key, fault.revision, this.resource.codec, held)
        object.prepare()
        this.#put(object, undefined)
        this.history.forgetSnapshots()
        this.pages.forget()
      } catch {
        // Reinserted at the end, so that the next pass starts with others.
        this.corrupt.set(key, corrupt)
        failures++
      }
    }
  }

  /** Whether the range, or the key, holds an object that cannot be read. */
  hasCorrupt(prefix: Key): boolean {
    if (this.corrupt.size === 0) return false
    if (!prefix.endsWith('/')) return this.corrupt.has(prefix)
    const end = prefixEnd(prefix)
    for (const key of this.corrupt.keys()) if (key >= prefix && key < end) return true
    return false
  }
}

/** Times of a change that is in the cache now. */
const timesOf = (arrived: number | undefined): ChangeTimes | undefined =>
  arrived === undefined ? undefined : { arrived, cached: performance.now() }

/** Returns the fault that reads report, and a copy of the bytes: a slice would retain the whole batch. */
function corruptOf(key: Key, revision: Revision, value: Buffer, error: unknown): Corrupt {
  const text = errorMessage(error)
  return { fault: readFaultOf(error) ?? { key, kind: 'undecodable', text, revision }, held: Buffer.from(value) }
}
