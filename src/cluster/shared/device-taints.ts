import type { DeviceTaint, DeviceToleration } from '../../api/resource/v1beta2.types.ts'

/**
 * Reports whether a toleration covers a taint of a device. Source: ToleratesTaint of
 * k8s.io/dynamic-resource-allocation/resourceclaim.
 */
export function toleratesDeviceTaint({ effect, key, operator, value = '' }: DeviceToleration, taint: DeviceTaint): boolean {
  if (effect && effect !== taint.effect) return false
  if (key && key !== taint.key) return false
  return operator === 'Exists' || ((operator === 'Equal' || !operator) && value === (taint.value ?? ''))
}
