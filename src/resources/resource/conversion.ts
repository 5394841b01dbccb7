import type { BasicDevice as AlphaDevice, ResourceSlice as AlphaSlice } from '../../api/resource/v1alpha3.types.ts'
import type {
  DeviceClaim as BetaClaim,
  BasicDevice as BetaDevice,
  DeviceRequest as BetaRequest,
  ResourceSlice as BetaSlice,
} from '../../api/resource/v1beta1.types.ts'
import type { Device, DeviceClaim, DeviceRequest, ResourceSlice } from '../../api/resource/v1beta2.types.ts'

/** Converts a request to v1beta2. v1beta1 and v1alpha3 have the fields of `exactly` in the request itself. */
function requestToHub({ name, firstAvailable, ...exactly }: BetaRequest): DeviceRequest {
  const { deviceClassName, allocationMode, count, ...rest } = exactly
  const any = deviceClassName || allocationMode || count || Object.values(rest).some(value => value !== undefined)
  return {
    name,
    ...(any && { exactly: { ...exactly, deviceClassName: deviceClassName ?? '' } }),
    ...(firstAvailable && { firstAvailable }),
  }
}

/** Converts a request from v1beta2. One with alternatives has an empty class there. */
const requestFromHub = ({ name, exactly, firstAvailable }: DeviceRequest): BetaRequest => ({
  name,
  deviceClassName: '',
  ...exactly,
  ...(firstAvailable && { firstAvailable }),
})

/** Convert the device claim of a claim or template from and to v1beta1 and v1alpha3. */
export const devicesToHub = (devices: BetaClaim): DeviceClaim => ({ ...devices, requests: devices.requests?.map(requestToHub) ?? null })
export const devicesFromHub = (devices: DeviceClaim): BetaClaim => ({ ...devices, requests: devices.requests?.map(requestFromHub) ?? null })

const changeValues = <T, U>(map: Record<string, T>, change: (value: T) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value)]))

/** Converts a slice to v1beta2. The fields of a device are in `basic`, which is empty if there are none. */
function sliceToHub<D>({ spec, ...slice }: WithBasic<D>, toHub: (device: D) => Omit<Device, 'name'>): ResourceSlice {
  const { nodeName, allNodes, devices, ...rest } = spec
  return {
    ...slice,
    spec: {
      ...rest,
      ...(nodeName && { nodeName }),
      ...(allNodes && { allNodes }),
      devices: devices?.map(({ name, basic }) => ({ name, ...(basic && toHub(basic)) })) ?? null,
    },
  }
}

const sliceFromHub = <D>({ spec, ...slice }: ResourceSlice, fromHub: (device: Omit<Device, 'name'>) => D): WithBasic<D> => ({
  ...slice,
  spec: { ...spec, devices: spec.devices?.map(({ name, ...device }) => ({ name, basic: fromHub(device) })) ?? null },
})

/** A slice of an older version, whose devices have the type `D`. */
type WithBasic<D> = Omit<ResourceSlice, 'spec'> & {
  spec: Omit<ResourceSlice['spec'], 'devices'> & { devices?: { name: string; basic?: D }[] | null }
}

const unchangedDevice = (device: BetaDevice): BetaDevice => device

/** Conversion of v1beta1, which has the fields of v1beta2's devices in `basic`. */
export const betaSlice = {
  toHub: (slice: BetaSlice): ResourceSlice => sliceToHub(slice, unchangedDevice),
  fromHub: (slice: ResourceSlice): BetaSlice => sliceFromHub(slice, unchangedDevice),
}

/** Conversion of v1alpha3, which has quantities as capacities, without a struct around them. */
export const alphaSlice = {
  toHub: (slice: AlphaSlice): ResourceSlice =>
    sliceToHub(slice, ({ capacity, ...device }: AlphaDevice) => ({
      ...device,
      ...(capacity && { capacity: changeValues(capacity, value => ({ value })) }),
    })),
  fromHub: (slice: ResourceSlice): AlphaSlice =>
    sliceFromHub(slice, ({ capacity, ...device }) => ({
      ...device,
      ...(capacity && { capacity: changeValues(capacity, ({ value }) => value) }),
    })),
}
