import type { PodCheck } from '../check.ts'
import { settersOf } from '../words.ts'

/** Restricted since 1.23: neither the pod nor a container sets runAsUser to 0. */
export const runAsUser: PodCheck = pod => {
  const setters = settersOf(pod, ({ runAsUser }) => runAsUser === 0)
  return setters.length === 0 ? undefined : { reason: 'runAsUser=0', detail: `${setters.join(' and ')} must not set runAsUser=0` }
}
