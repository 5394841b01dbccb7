import type { DeviceRequest, DeviceSubRequest, ExactDeviceRequest, ResourceClaim } from '../../../../api/resource/v1beta2.types.ts'
import { asKind, kindId } from '../../../../catalog/define.ts'
import { compareParsed, parseQuantity, type Quantity } from '../../../../meta/quantity.ts'
import { type Amounts, addTo, ONE, ZERO } from './amounts.ts'
import { countName, type Evaluator, isCreationOrUpdate } from './evaluator.ts'

const RESOURCE_CLAIMS = kindId<ResourceClaim>('resource.k8s.io', 'resourceclaims')
const COUNT = countName(RESOURCE_CLAIMS)
/** Suffix after the name of a device class. */
const OF_CLASS = '.deviceclass.resource.k8s.io/devices'
/** Largest number of devices of one claim (AllocationResultsMaxSize). */
const MOST_DEVICES = '32'

/**
 * Returns the largest number of devices that a request may be allocated. Allocation modes of later releases count as
 * zero.
 */
function devicesOf({ allocationMode, count }: ExactDeviceRequest | DeviceSubRequest): Quantity {
  if (allocationMode === 'All') return parseQuantity(MOST_DEVICES)
  return allocationMode === 'ExactCount' ? parseQuantity(String(count ?? 0)) : ZERO
}

/**
 * Returns the devices of a request by class. Only one of the alternatives is allocated, so each class counts with its
 * maximum over them.
 */
function usageOfRequest({ exactly, firstAvailable = [] }: DeviceRequest): Map<string, Quantity> {
  const most = new Map<string, Quantity>()
  for (const alternative of firstAvailable) {
    const name = `${alternative.deviceClassName}${OF_CLASS}`
    const devices = devicesOf(alternative)
    if (compareParsed(devices, most.get(name) ?? ZERO) > 0) most.set(name, devices)
  }
  if (firstAvailable.length === 0 && exactly) most.set(`${exactly.deviceClassName}${OF_CLASS}`, devicesOf(exactly))
  return most
}

/**
 * Evaluator for ResourceClaims, in their hub version. Source: pkg/quota/v1/evaluator/core/resource_claims.go in
 * k8s.io/kubernetes.
 */
export const deviceClaimEvaluator: Evaluator = {
  resource: RESOURCE_CLAIMS,
  handles: isCreationOrUpdate,
  counts: name => name === COUNT || name.endsWith(OF_CLASS),
  usage: (object): Amounts => {
    const usage = new Map([[COUNT, ONE]])
    for (const request of asKind(RESOURCE_CLAIMS, object).spec.devices.requests ?? []) {
      for (const [name, devices] of usageOfRequest(request)) addTo(usage, name, devices)
    }
    return usage
  },
}
