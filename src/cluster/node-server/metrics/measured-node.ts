import type { Pod } from '../../../api/core/v1.types.ts'
import { objectKey } from '../../../clients/api-client.ts'
import type { MeasuredObject, Measurements } from '../../kwok/rules/metric-environment.ts'
import type { ContainerUsage } from '../../metrics-server/usage-reader.ts'

/** An amount that has been used up to a time, in milliseconds since the epoch. */
export interface UsedSince {
  readonly at: number
  readonly amount: number
}

/** Usage of a pod by its containers that run. */
export interface PodUsage {
  readonly pod: Pod
  readonly containers: readonly ContainerUsage[]
}

/**
 * Measurements of a node and its pods at a time. Amounts that are summed over time start at 0 when they are asked first,
 * as in kwok.
 */
export class MeasuredNode implements Measurements {
  readonly #node: string
  readonly #pods: ReadonlyMap<string, PodUsage>
  readonly #now: number
  readonly #before: ReadonlyMap<string, UsedSince>
  /** Amounts that this scrape has used, for the next one. */
  readonly used = new Map<string, UsedSince>()

  /** @param before amounts of the previous scrape */
  constructor(node: string, pods: readonly PodUsage[], now: number, before: ReadonlyMap<string, UsedSince>) {
    this.#node = node
    this.#pods = new Map(pods.map(usage => [objectKey(usage.pod), usage]))
    this.#now = now
    this.#before = before
  }

  usage({ namespace, name }: MeasuredObject, resource: string, container: string | undefined): number {
    const key = namespace === '' ? name : `${namespace}/${name}`
    const pod = this.#pods.get(key)
    const pods = namespace === '' ? (name === this.#node ? [...this.#pods.values()] : []) : pod ? [pod] : []
    let sum = 0
    for (const { containers } of pods)
      for (const one of containers) if (container === undefined || one.name === container) sum += one.usage[resource] ?? 0
    return sum
  }

  cumulativeUsage(of: MeasuredObject, resource: string, container: string | undefined): number {
    const key = JSON.stringify([of.namespace, of.name, resource, container ?? null])
    const known = this.used.get(key)
    if (known) return known.amount
    const before = this.#before.get(key)
    const amount = before ? before.amount + Math.max(0, (this.#now - before.at) / 1000) * this.usage(of, resource, container) : 0
    this.used.set(key, { at: this.#now, amount })
    return amount
  }

  startedContainers(node: string): number {
    let started = 0
    if (node !== this.#node) return 0
    for (const { pod } of this.#pods.values())
      for (const { restartCount, state, lastState } of [
        ...(pod.status.initContainerStatuses ?? []),
        ...(pod.status.containerStatuses ?? []),
      ])
        if (state.running || state.terminated || lastState?.terminated) started += restartCount + 1
    return started
  }
}
