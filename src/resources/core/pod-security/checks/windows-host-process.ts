import type { PodCheck } from '../check.ts'
import { settersOf } from '../words.ts'

/** Baseline: no container of Windows is a process of the node. */
export const windowsHostProcess: PodCheck = pod => {
  const setters = settersOf(pod, ({ windowsOptions }) => windowsOptions?.hostProcess === true)
  return setters.length === 0
    ? undefined
    : { reason: 'hostProcess', detail: `${setters.join(' and ')} must not set securityContext.windowsOptions.hostProcess=true` }
}
