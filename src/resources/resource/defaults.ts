import type { DeviceClaim as BetaClaim } from '../../api/resource/v1beta1.types.ts'
import type { DeviceClaim, DeviceSubRequest, ExactDeviceRequest } from '../../api/resource/v1beta2.types.ts'

/** Sets the allocation mode to ExactCount and its count to 1, if unset. */
function setAmount(request: Pick<DeviceSubRequest | ExactDeviceRequest, 'allocationMode' | 'count'>): void {
  request.allocationMode ||= 'ExactCount'
  if (request.allocationMode === 'ExactCount') request.count ||= 1
}

/** Sets defaults of the device claim in v1beta2. */
export function setRequestDefaults(devices: DeviceClaim): void {
  for (const { exactly, firstAvailable = [] } of devices.requests ?? []) {
    if (exactly) setAmount(exactly)
    firstAvailable.forEach(setAmount)
  }
}

/** Sets defaults in earlier versions, in which a request without a class has alternatives. */
export function setOlderRequestDefaults(devices: BetaClaim): void {
  for (const request of devices.requests ?? []) {
    if (request.deviceClassName) setAmount(request)
    request.firstAvailable?.forEach(setAmount)
  }
}
