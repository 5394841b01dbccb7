import { namesWhere, type PodCheck } from '../check.ts'
import { containersText, quoteItems, settersOf, sortValues } from '../words.ts'

const MAY_RUN_AS_ROOT = 'runAsNonRoot != true'

/** Restricted: the pod or every container sets runAsNonRoot to true. */
export const runAsNonRoot: PodCheck = pod => {
  const setters = settersOf(pod, ({ runAsNonRoot }) => runAsNonRoot === false)
  if (setters.length > 0)
    return { reason: MAY_RUN_AS_ROOT, detail: `${setters.join(' and ')} must not set securityContext.runAsNonRoot=false` }
  if (pod.spec.securityContext?.runAsNonRoot === true) return undefined
  const silent = namesWhere(pod, ({ securityContext }) => securityContext?.runAsNonRoot === undefined)
  return silent.length === 0
    ? undefined
    : { reason: MAY_RUN_AS_ROOT, detail: `pod or ${containersText(silent)} must set securityContext.runAsNonRoot=true` }
}

/** Restricted since 1.23: neither the pod nor a container sets runAsUser to 0. */
export const runAsUser: PodCheck = pod => {
  const setters = settersOf(pod, ({ runAsUser }) => runAsUser === 0)
  return setters.length === 0 ? undefined : { reason: 'runAsUser=0', detail: `${setters.join(' and ')} must not set runAsUser=0` }
}

/** Baseline: no container is privileged. */
export const privileged: PodCheck = pod => {
  const bad = namesWhere(pod, ({ securityContext }) => securityContext?.privileged === true)
  return bad.length === 0
    ? undefined
    : { reason: 'privileged', detail: `${containersText(bad)} must not set securityContext.privileged=true` }
}

/** Restricted since 1.8: every container sets allowPrivilegeEscalation to false. */
export const allowPrivilegeEscalation: PodCheck = pod => {
  const bad = namesWhere(pod, ({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false)
  if (bad.length === 0) return undefined
  return {
    reason: 'allowPrivilegeEscalation != false',
    detail: `${containersText(bad)} must set securityContext.allowPrivilegeEscalation=false`,
  }
}

/** Baseline: /proc has the runtime's default masks. */
export const procMount: PodCheck = function* ({ containers }) {
  const bad = containers.filter(({ securityContext }) => (securityContext?.procMount ?? 'Default') !== 'Default')
  if (bad.length === 0) return undefined
  const values = yield* sortValues(new Set(bad.map(({ securityContext }) => securityContext?.procMount ?? '')))
  return {
    reason: 'procMount',
    detail: `${containersText(bad.map(({ name }) => name))} must not set securityContext.procMount to ${quoteItems(values)}`,
  }
}
