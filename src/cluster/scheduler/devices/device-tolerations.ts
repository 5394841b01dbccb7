import type { DeviceTaint, DeviceToleration } from '../../../api/resource/v1beta2.types.ts'

/** Reports whether a toleration covers a taint. Source: ToleratesTaint of k8s.io/dynamic-resource-allocation/resourceclaim. */
function isTolerated(taint: DeviceTaint, { effect, key, operator, value = '' }: DeviceToleration): boolean {
  if (effect && effect !== taint.effect) return false
  if (key && key !== taint.key) return false
  return operator === 'Exists' || ((operator === 'Equal' || !operator) && value === (taint.value ?? ''))
}

/** Reports whether a device with the taints may be allocated. Taints of other effects do not count. */
export const areTolerated = (taints: readonly DeviceTaint[] = [], tolerations: readonly DeviceToleration[] = []): boolean =>
  taints.every(taint => (taint.effect !== 'NoExecute' && taint.effect !== 'NoSchedule') || tolerations.some(each => isTolerated(taint, each)))
