import type { Node } from '../../../api/core/v1.types.ts'
import { EvictionQueue } from './eviction-queue.ts'
import { evictionRate, type ZoneState, zoneState } from './zones.ts'

/** Label of nodes that do not count for the state of their zone. */
const EXCLUDED = 'node.kubernetes.io/exclude-disruption'
const REGION = 'topology.kubernetes.io/region'
const ZONE = 'topology.kubernetes.io/zone'
/** Labels of nodes before 1.17, which are still read. */
const OLD_REGION = 'failure-domain.beta.kubernetes.io/region'
const OLD_ZONE = 'failure-domain.beta.kubernetes.io/zone'

/** Returns the zone of a node by its labels, with its region. Source: GetZoneKey of k8s.io/component-helpers. */
export function zoneOf({ metadata: { labels = {} } }: Pick<Node, 'metadata'>): string {
  const region = labels[REGION] ?? labels[OLD_REGION] ?? ''
  const zone = labels[ZONE] ?? labels[OLD_ZONE] ?? ''
  return region === '' && zone === '' ? '' : `${region}:\0:${zone}`
}

/** Nodes of a zone by their state. */
interface Zone {
  /** Nodes that wait for eviction, at the rate of the zone. */
  readonly queue: EvictionQueue
  /** State at the last update. `Initial` before the first. */
  state: ZoneState | 'Initial'
  readonly ready: Set<string>
  readonly notReady: Set<string>
}

/** Transition of the whole cluster: all zones became fully disrupted, or no longer are. */
export type Disruption = 'begun' | 'ended' | undefined

/** Zones of the cluster with the state of their nodes, and the nodes that wait for eviction. */
export class ZoneEvictions {
  readonly #zones = new Map<string, Zone>()
  readonly #zoneOf = new Map<string, string>()
  #isHalted = false

  /** Whether all zones are fully disrupted, so that no node is evicted. */
  get isHalted(): boolean {
    return this.#isHalted
  }

  /** Takes the state of a node. */
  set(node: Pick<Node, 'metadata'>, isReady: boolean): void {
    const { name = '', labels = {} } = node.metadata
    const key = zoneOf(node)
    const old = this.#zoneOf.get(name)
    if (old !== undefined && old !== key) this.delete(name)
    const zone = this.#zone(key)
    this.#zoneOf.set(name, key)
    zone.ready.delete(name)
    zone.notReady.delete(name)
    if (labels[EXCLUDED] === undefined) (isReady ? zone.ready : zone.notReady).add(name)
  }

  /** Removes a node, also from those that wait for eviction. */
  delete(name: string): void {
    const zone = this.#zones.get(this.#zoneOf.get(name) ?? '')
    this.#zoneOf.delete(name)
    zone?.ready.delete(name)
    zone?.notReady.delete(name)
    zone?.queue.remove(name)
  }

  /** Adds a node to those that wait for eviction. */
  evict(name: string): void {
    this.#zones.get(this.#zoneOf.get(name) ?? '')?.queue.add(name)
  }

  /** Removes a node from those that wait for eviction. */
  spare(name: string): void {
    this.#zones.get(this.#zoneOf.get(name) ?? '')?.queue.remove(name)
  }

  /** Returns the nodes that may be evicted now. */
  due(now: number): string[] {
    const due: string[] = []
    for (const { queue } of this.#zones.values())
      for (let node = queue.take(now); node !== undefined; node = queue.take(now)) due.push(node)
    return due
  }

  /** Milliseconds until the next node may be evicted. Undefined if none waits. */
  untilNext(now: number): number | undefined {
    const times = [...this.#zones.values()].flatMap(({ queue }) => queue.untilNext(now) ?? [])
    return times.length === 0 ? undefined : Math.min(...times)
  }

  /**
   * Sets the states and rates of all zones by the states of their nodes. Source: handleDisruption of
   * pkg/controller/nodelifecycle.
   */
  update(now: number): Disruption {
    const zones = [...this.#zones].flatMap(([key, zone]) => {
      const nodes = zone.ready.size + zone.notReady.size
      if (nodes > 0) return [{ zone, nodes, next: zoneState(zone.ready.size, zone.notReady.size) }]
      this.#zones.delete(key)
      return []
    })
    const areFull = zones.every(({ next }) => next === 'FullDisruption')
    const wereFull = zones.every(({ zone }) => zone.state === 'FullDisruption')
    this.#isHalted = zones.length > 0 && areFull
    if (zones.length === 0 || (areFull && wereFull)) return undefined
    for (const { zone, nodes, next } of zones) {
      if (areFull || wereFull || zone.state !== next) zone.queue.setRate(evictionRate(next, nodes, areFull), now)
      zone.state = next
    }
    return areFull ? 'begun' : wereFull ? 'ended' : undefined
  }

  /** Returns a zone, which is created if it is new. */
  #zone(key: string): Zone {
    const known = this.#zones.get(key)
    if (known) return known
    const zone: Zone = {
      queue: new EvictionQueue(evictionRate('Normal', 0, false)),
      state: 'Initial',
      ready: new Set(),
      notReady: new Set(),
    }
    this.#zones.set(key, zone)
    return zone
  }
}
