import type { PodCheck } from '../check.ts'
import { settersOf } from '../words.ts'

/** Baseline: no Windows container runs as a host process. */
export const windowsHostProcess: PodCheck = pod => {
  const setters = settersOf(pod, ({ windowsOptions }) => windowsOptions?.hostProcess === true)
  return setters.length === 0
    ? undefined
    : { reason: 'hostProcess', detail: `${setters.join(' and ')} must not set securityContext.windowsOptions.hostProcess=true` }
}
