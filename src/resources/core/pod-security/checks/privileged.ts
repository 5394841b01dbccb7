import { namesWhere, type PodCheck } from '../check.ts'
import { containersText } from '../words.ts'

/** Baseline: no container is privileged. */
export const privileged: PodCheck = pod => {
  const bad = namesWhere(pod, ({ securityContext }) => securityContext?.privileged === true)
  return bad.length === 0 ? undefined : { reason: 'privileged', detail: `${containersText(bad)} must not set securityContext.privileged=true` }
}
