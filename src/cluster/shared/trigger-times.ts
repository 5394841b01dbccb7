import type { Pod, Service } from '../../api/core/v1.types.ts'
import { objectKey } from '../../clients/api-client.ts'
import { timeMillis } from '../../meta/time.ts'
import { podCondition } from './pods.ts'

interface SeenTimes {
  readonly service: number
  readonly pods: ReadonlyMap<string, number>
}

/**
 * Computes the time of the change that leads to a write of endpoints: of the changes since the last call, the earliest.
 * Corresponds to upstream's TriggerTimeTracker.
 */
export class TriggerTimes {
  readonly #seen = new Map<string, SeenTimes>()

  /**
   * Returns the time in milliseconds since the epoch. Undefined if no time has changed. Must be called in each pass
   * over a service.
   */
  next(service: Service, pods: readonly Pod[]): number | undefined {
    const key = objectKey(service)
    const seen = this.#seen.get(key)
    const created = timeMillis(service.metadata.creationTimestamp) ?? 0
    const times = new Map<string, number>()
    let earliest = created > (seen?.service ?? 0) ? created : undefined
    for (const pod of pods) {
      const time = timeMillis(podCondition(pod, 'Ready')?.lastTransitionTime)
      if (time === undefined) continue
      const name = pod.metadata.name ?? ''
      times.set(name, time)
      if (time > (seen?.pods.get(name) ?? 0) && time < (earliest ?? Number.POSITIVE_INFINITY)) earliest = time
    }
    this.#seen.set(key, { service: created, pods: times })
    return seen ? earliest : created || undefined
  }

  forget(key: string): void {
    this.#seen.delete(key)
  }
}
