import type { DeviceTaintRule } from '../../api/resource/v1alpha3.types.ts'
import type { DeviceRequestAllocationResult, DeviceTaint, DeviceToleration } from '../../api/resource/v1beta2.types.ts'

/**
 * Reports whether a toleration covers a taint of a device. Source: ToleratesTaint of
 * k8s.io/dynamic-resource-allocation/resourceclaim.
 */
export function toleratesDeviceTaint({ effect, key, operator, value = '' }: DeviceToleration, taint: DeviceTaint): boolean {
  if (effect && effect !== taint.effect) return false
  if (key && key !== taint.key) return false
  return operator === 'Exists' || ((operator === 'Equal' || !operator) && value === (taint.value ?? ''))
}

/** Identifies a device. */
export type DeviceName = Pick<DeviceRequestAllocationResult, 'driver' | 'pool' | 'device'>

/**
 * Reports whether a rule taints a device. One without a selector taints none, and an empty selector taints all. Classes
 * and expressions of 1.33 and 1.34 select none.
 */
export function matchesRule({ spec: { deviceSelector: selector } }: DeviceTaintRule, { driver, pool, device }: DeviceName): boolean {
  if (selector === undefined || selector.deviceClassName !== undefined || (selector.selectors?.length ?? 0) > 0) return false
  return (selector.driver ?? driver) === driver && (selector.pool ?? pool) === pool && (selector.device ?? device) === device
}
