import type { KubeObject } from '../../meta/object.ts'

type ApiStruct = KubeObject['spec']

/** One device, unless it says otherwise. */
function setAmount(request: ApiStruct): void {
  request.allocationMode ||= 'ExactCount'
  if (request.allocationMode === 'ExactCount') request.count ||= 1
}

/** `devices` of a claim in v1beta2. */
export function setRequestDefaults(devices: ApiStruct | undefined): void {
  for (const { exactly, firstAvailable } of devices?.requests ?? []) {
    if (exactly) setAmount(exactly)
    for (const alternative of firstAvailable ?? []) setAmount(alternative)
  }
}

/** In the versions before it, a request without a class is one of alternatives. */
export function setOlderRequestDefaults(devices: ApiStruct | undefined): void {
  for (const request of devices?.requests ?? []) {
    if (request.deviceClassName) setAmount(request)
    for (const alternative of request.firstAvailable ?? []) setAmount(alternative)
  }
}
