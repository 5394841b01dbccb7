import type { DeviceTaint, DeviceToleration } from '../../../api/resource/v1beta2.types.ts'
import { toleratesDeviceTaint } from '../../shared/device-taints.ts'

/** Reports whether a device with the taints may be allocated. Taints of other effects do not count. */
export const areTolerated = (taints: readonly DeviceTaint[] = [], tolerations: readonly DeviceToleration[] = []): boolean =>
  taints.every(
    taint => (taint.effect !== 'NoExecute' && taint.effect !== 'NoSchedule') || tolerations.some(each => toleratesDeviceTaint(each, taint)),
  )
