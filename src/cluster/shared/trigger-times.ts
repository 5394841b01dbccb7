import type { Pod, Service } from '../../api/core/v1.types.ts'
import { objectKey } from '../../clients/api-client.ts'
import { isStepDone, type Steps } from '../../lib/steps.ts'
import { timeMillis } from '../../meta/time.ts'
import { podCondition } from './pods.ts'
import { recountPause } from './recount-pause.ts'

/** Time that a pass over a service takes for each of its pods. */
const MICROSECONDS_PER_POD = 3

/** The last change of a pod's readiness. */
interface SeenTime {
  readonly text: string
  /** Milliseconds since the epoch. */
  readonly time: number
}

interface SeenTimes {
  readonly service: number
  /** Key: name of the pod. */
  readonly pods: ReadonlyMap<string, SeenTime>
}

/**
 * Computes the time of the change that leads to a write of endpoints: of the changes since the last call, the earliest.
 * Corresponds to upstream's TriggerTimeTracker.
 */
export class TriggerTimes {
  readonly #seen = new Map<string, SeenTimes>();

  /**
   * Returns the time in milliseconds since the epoch, in steps. Undefined if no time has changed. Must be called in
   * each pass over a service.
   */
  *next(service: Service, pods: readonly Pod[]): Steps<number | undefined> {
    const key = objectKey(service)
    const seen = this.#seen.get(key)
    const created = timeMillis(service.metadata.creationTimestamp) ?? 0
    const times = new Map<string, SeenTime>()
    let earliest = created > (seen?.service ?? 0) ? created : undefined
    for (const pod of pods) {
      if (isStepDone()) yield
      const name = pod.metadata.name ?? ''
      const text = podCondition(pod, 'Ready')?.lastTransitionTime ?? ''
      const before = seen?.pods.get(name)
      const now = before?.text === text ? before : seenTime(text)
      if (now === undefined) continue
      times.set(name, now)
      if (now.time > (before?.time ?? 0) && now.time < (earliest ?? Number.POSITIVE_INFINITY)) earliest = now.time
    }
    this.#seen.set(key, { service: created, pods: times })
    return seen ? earliest : created || undefined
  }

  /** Milliseconds in which changes of the pods of a service are handled together: see `recountPause`. */
  pauseOf(key: string): number {
    return recountPause(this.#seen.get(key)?.pods.size ?? 0, MICROSECONDS_PER_POD)
  }

  forget(key: string): void {
    this.#seen.delete(key)
  }
}

function seenTime(text: string): SeenTime | undefined {
  const time = timeMillis(text)
  return time === undefined ? undefined : { text, time }
}
