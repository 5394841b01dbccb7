import type { DeviceClaim, DeviceRequest } from './v1beta2.types.ts'

const requestsOf = (devices: DeviceClaim | undefined): DeviceRequest[] => devices?.requests ?? []

/** Alternatives and administrative access are alpha in this release; an object that has them keeps them. */
export function dropAlphaOfRequests(devices: DeviceClaim, old: DeviceClaim | undefined, oldAllocates = false): void {
  const had = requestsOf(old)
  if (!had.some(({ firstAvailable }) => (firstAvailable ?? []).length > 0)) for (const request of requestsOf(devices)) delete request.firstAvailable
  if (oldAllocates || had.some(({ exactly }) => exactly?.adminAccess !== undefined)) return
  for (const { exactly } of requestsOf(devices)) if (exactly) delete exactly.adminAccess
}
