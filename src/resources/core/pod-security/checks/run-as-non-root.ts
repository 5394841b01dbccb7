import { namesWhere, type PodCheck } from '../check.ts'
import { containersText, settersOf } from '../words.ts'

const REASON = 'runAsNonRoot != true'

/** Restricted: the pod or every container sets runAsNonRoot to true. */
export const runAsNonRoot: PodCheck = pod => {
  const setters = settersOf(pod, ({ runAsNonRoot }) => runAsNonRoot === false)
  if (setters.length > 0) return { reason: REASON, detail: `${setters.join(' and ')} must not set securityContext.runAsNonRoot=false` }
  if (pod.spec.securityContext?.runAsNonRoot === true) return undefined
  const silent = namesWhere(pod, ({ securityContext }) => securityContext?.runAsNonRoot === undefined)
  return silent.length === 0 ? undefined : { reason: REASON, detail: `pod or ${containersText(silent)} must set securityContext.runAsNonRoot=true` }
}
