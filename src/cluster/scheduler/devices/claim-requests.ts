import type {
  CapacityRequirements,
  DeviceDerivedAttribute,
  DeviceRequest,
  DeviceSelector,
  DeviceSubRequest,
  DeviceToleration,
  ExactDeviceRequest,
  ResourceClaim,
} from '../../../api/resource/v1beta2.types.ts'

/** One way to satisfy a request. */
export interface RequestAlternative {
  /** Name in results: that of the request, or `REQUEST/ALTERNATIVE`. */
  readonly name: string
  /** Name of the request. */
  readonly requestName: string
  /** Name in messages: the last part of `name`. */
  readonly shortName: string
  /** Index in the list of alternatives. Undefined if the request has no list. */
  readonly rank: number | undefined
  /** Name of the DeviceClass, whose selectors apply as well. */
  readonly className: string
  /** CEL expressions that a device must all satisfy. */
  readonly selectors: readonly DeviceSelector[]
  /** Allocation mode: `ExactCount`, `All`, or one of a later release. */
  readonly mode: string
  /** Number of devices in the mode ExactCount. */
  readonly count: number
  /** Undefined if the request does not say. */
  readonly adminAccess: boolean | undefined
  /** Taints of devices that do not matter. Undefined if the request has none. */
  readonly tolerations: readonly DeviceToleration[] | undefined
  /** Capacity to consume of a device that may be shared. Undefined for a whole device. */
  readonly capacity: CapacityRequirements | undefined
  /** Attributes that are computed for the devices of the request. */
  readonly derivedAttributes: readonly DeviceDerivedAttribute[]
}

/** A request of a claim. */
export interface ClaimRequest {
  readonly name: string
  /** Whether the request has a list of alternatives. */
  readonly isPrioritized: boolean
  /** Ways to satisfy the request, the best first. One if it has no list. */
  readonly alternatives: readonly RequestAlternative[]
}

/** A request as any version has it: v1beta1 has the members of `exactly` in the request itself. */
type AnyRequest = Omit<DeviceRequest, 'exactly'> & Partial<ExactDeviceRequest> & { readonly exactly?: ExactDeviceRequest }

/** Returns a request, or an alternative of a list with its rank. */
function alternativeOf(requestName: string, request: Partial<ExactDeviceRequest> | DeviceSubRequest, rank?: number): RequestAlternative {
  const shortName = 'name' in request ? request.name : requestName
  const {
    deviceClassName = '',
    selectors = [],
    allocationMode = 'ExactCount',
    count = 1,
    tolerations,
    capacity,
    derivedAttributes = [],
  } = request
  const adminAccess = 'adminAccess' in request ? request.adminAccess : undefined
  const name = 'name' in request ? `${requestName}/${request.name}` : requestName
  return {
    name,
    requestName,
    rank,
    shortName,
    className: deviceClassName,
    selectors,
    mode: allocationMode,
    count: Number(count),
    adminAccess,
    tolerations,
    capacity,
    derivedAttributes,
  }
}

/** Returns the requests of a claim of any version. */
export const claimRequests = ({ spec }: ResourceClaim): ClaimRequest[] =>
  (spec.devices?.requests ?? []).map((request: AnyRequest) => {
    const { name, firstAvailable, ...rest } = request
    if (firstAvailable?.length)
      return { name, isPrioritized: true, alternatives: firstAvailable.map((each, i) => alternativeOf(name, each, i)) }
    return { name, isPrioritized: false, alternatives: [alternativeOf(name, request.exactly ?? rest)] }
  })
