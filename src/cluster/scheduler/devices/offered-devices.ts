import type { Device, ResourceSlice } from '../../../api/resource/v1beta2.types.ts'

/** A device of a slice. */
export interface OfferedDevice {
  /** Text `DRIVER/POOL/DEVICE`. */
  readonly id: string
  readonly driver: string
  readonly pool: string
  readonly device: Device
  readonly slice: ResourceSlice
}

export const deviceId = (driver: string, pool: string, device: string): string => `${driver}/${pool}/${device}`

/** A device as any version has it: v1beta1 has its members in `basic`. A device with neither is of an unknown type. */
type AnyDevice = Device & { readonly basic?: Omit<Device, 'name'> }

const known = new WeakMap<ResourceSlice, readonly OfferedDevice[]>()

/** Returns the devices of a slice of any version. The result is kept as long as the slice, which must not change. */
export function offeredDevices(slice: ResourceSlice): readonly OfferedDevice[] {
  const found = known.get(slice)
  if (found) return found
  const { driver, pool } = slice.spec
  const devices = (slice.spec.devices ?? []).map((device: AnyDevice) => {
    const { basic, ...rest } = device
    return { id: deviceId(driver, pool.name, device.name), driver, pool: pool.name, device: { ...rest, ...basic }, slice }
  })
  known.set(slice, devices)
  return devices
}
