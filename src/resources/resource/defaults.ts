import type { DeviceClaim as BetaClaim } from './v1beta1.types.ts'
import type { DeviceClaim, DeviceSubRequest, ExactDeviceRequest } from './v1beta2.types.ts'

/** One device, unless it says otherwise. */
function setAmount(request: Pick<DeviceSubRequest | ExactDeviceRequest, 'allocationMode' | 'count'>): void {
  request.allocationMode ||= 'ExactCount'
  if (request.allocationMode === 'ExactCount') request.count ||= 1
}

/** `devices` of a claim in v1beta2. */
export function setRequestDefaults(devices: DeviceClaim): void {
  for (const { exactly, firstAvailable = [] } of devices.requests ?? []) {
    if (exactly) setAmount(exactly)
    firstAvailable.forEach(setAmount)
  }
}

/** In the versions before it, a request without a class is one of alternatives. */
export function setOlderRequestDefaults(devices: BetaClaim): void {
  for (const request of devices.requests ?? []) {
    if (request.deviceClassName) setAmount(request)
    request.firstAvailable?.forEach(setAmount)
  }
}
