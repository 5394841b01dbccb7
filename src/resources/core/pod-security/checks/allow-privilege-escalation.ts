import { namesWhere, type PodCheck } from '../check.ts'
import { containersText } from '../words.ts'

/** Restricted since 1.8: every container sets allowPrivilegeEscalation to false. */
export const allowPrivilegeEscalation: PodCheck = pod => {
  const bad = namesWhere(pod, ({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false)
  if (bad.length === 0) return undefined
  return { reason: 'allowPrivilegeEscalation != false', detail: `${containersText(bad)} must set securityContext.allowPrivilegeEscalation=false` }
}
