import type { Catalog } from '../../catalog/catalog.ts'
import type { ResourceDefinition } from '../../catalog/definition.ts'
import type { AccessEvent } from '../../catalog/resource-access.ts'
import { systemClock, type TimerClock } from '../../lib/clock.ts'
import { pause } from '../../lib/pause.ts'
import type { SerialSteps } from '../../lib/serial-steps.ts'
import type { Steps } from '../../lib/steps.ts'
import { nextTurn, turnIsSpent } from '../../lib/turn.ts'
import { apiVersionOf } from '../../meta/gvk.ts'
import type { ControllerEnvironment } from '../controller.ts'
import { followMetadata } from '../controller.ts'
import type { Coordinates } from './coordinates.ts'
import type { OwnerGraph } from './graph.ts'
import { isCollected, trackedVersion } from './kinds.ts'

/** Maximum delay between two watches in delivering changes of the same time, in milliseconds. */
const QUIET_MS = 150
/** Maximum wait for a pause in events, in milliseconds. Changes that old have been delivered. */
const LONG_ENOUGH_MS = 2000

interface Monitor {
  readonly end: AbortController
  synced: boolean
}

/**
 * A watch per collected resource. Follows the catalog. Changes the graph through `changes`, one event after the other.
 */
export class Monitors {
  readonly #env: ControllerEnvironment
  readonly #catalog: Catalog
  readonly #graph: OwnerGraph
  readonly #changes: SerialSteps
  readonly #signal: AbortSignal
  readonly #running = new Map<string, Monitor>()
  readonly #ends = new Set<Promise<void>>()
  #lastEvent = 0
  readonly #pauses: TimerClock
  #onSynced: (() => void) | undefined

  constructor(env: ControllerEnvironment, catalog: Catalog, graph: OwnerGraph, changes: SerialSteps, signal: AbortSignal) {
    this.#env = env
    this.#pauses = env.queues?.pauses ?? systemClock
    this.#catalog = catalog
    this.#graph = graph
    this.#changes = changes
    this.#signal = signal
  }

  /** Starts watches of new resources and ends those of removed ones. */
  update(): void {
    const wanted = new Map(
      this.#catalog
        .snapshot()
        .definitions.filter(isCollected)
        .map(each => [`${each.hub.group}/${each.hub.names.plural}`, each]),
    )
    for (const [id, { end }] of this.#running) {
      if (wanted.has(id)) continue
      this.#running.delete(id)
      end.abort()
    }
    for (const [id, definition] of wanted) if (!this.#running.has(id)) this.#start(id, definition)
    this.#notifySynced()
  }

  /** Resolves when every watch has completed its initial list, or the signal aborts. */
  synced(): Promise<void> {
    return new Promise(resolve => {
      this.#onSynced = resolve
      this.#signal.addEventListener('abort', () => resolve(), { once: true })
      this.#notifySynced()
    })
  }

  /** Resolves when all changes that were written before the call have been delivered. */
  async settled(): Promise<void> {
    const until = this.#pauses.steady.now() + LONG_ENOUGH_MS
    let quietFor = 0
    while (quietFor < QUIET_MS && this.#pauses.steady.now() < until && !this.#signal.aborted) {
      await pause(QUIET_MS - quietFor, this.#signal, this.#pauses)
      // A change of an object with very many owners can take longer than the pause. Until it has ended, dependents are
      // missing from the graph.
      await this.#changes.run(nothing())
      quietFor = this.#pauses.steady.now() - this.#lastEvent
    }
  }

  /** Resolves when all watches have ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#ends)
  }

  /** Watches a resource until it is no longer served or the signal aborts. */
  #start(id: string, definition: ResourceDefinition): void {
    const end = new AbortController()
    const monitor: Monitor = { end, synced: false }
    this.#running.set(id, monitor)
    const { group, kind, names } = definition.hub
    const tracked = trackedVersion(definition)
    const apiVersion = apiVersionOf({ group: tracked.group, version: tracked.name })
    const begin = () => {
      // Objects seen before that are not in the new list were deleted while the watch was interrupted.
      const before = new Map(monitor.synced ? this.#graph.seen(apiVersion, kind).map(object => [object.uid, object]) : [])
      return (event: AccessEvent): undefined | Promise<void> => {
        this.#noteEvent()
        const meta = event.object?.metadata
        if (meta) {
          before.delete(meta.uid ?? '')
          if (event.type === 'deleted') {
            const { namespace = '', name = '', uid = '' } = meta
            return this.#change(this.#graph.remove({ apiVersion, kind, namespace, name, uid }))
          }
          return this.#change(this.#graph.put(apiVersion, kind, meta))
        }
        return this.#endOfList(monitor, before)
      }
    }
    const done = followMetadata(this.#env, { group, resource: names.plural }, AbortSignal.any([this.#signal, end.signal]), begin)
    this.#ends.add(done)
    void done.then(() => this.#ends.delete(done))
  }

  /** Changes the graph. The next event waits for the returned promise. */
  #change(steps: Steps<void>): undefined | Promise<void> {
    const changed = this.#changes.run(steps)
    return changed instanceof Promise ? changed.then(() => this.#noteEvent()) : undefined
  }

  #noteEvent(): void {
    this.#lastEvent = this.#pauses.steady.now()
  }

  /** Removes the objects that the list did not contain. */
  async #endOfList(monitor: Monitor, gone: Map<string, Coordinates>): Promise<void> {
    for (const object of gone.values()) {
      if (turnIsSpent()) await nextTurn()
      await this.#change(this.#graph.remove(object))
    }
    gone.clear()
    monitor.synced = true
    this.#notifySynced()
  }

  /** Resolves `synced` once all watches have completed their initial lists. */
  #notifySynced(): void {
    if (![...this.#running.values()].every(({ synced }) => synced)) return
    this.#onSynced?.()
    this.#onSynced = undefined
  }
}

/** Steps that end after all changes before them. */
function* nothing(): Steps<void> {}
