import type { Device, DeviceTaint, ResourceSlice } from '../../api/resource/v1beta2.types.ts'

/** A device of any version: v1beta1 has its taints in `basic`. */
type AnyDevice = Device & { readonly basic?: { readonly taints?: readonly DeviceTaint[] } }

/** Key of a pool of devices. */
export const poolKey = (driver: string, pool: string): string => `${driver}/${pool}`

/** Slices of the latest generation of a pool. The others are outdated. */
export function latestSlices(slices: readonly ResourceSlice[]): readonly ResourceSlice[] {
  const latest = Math.max(...slices.map(({ spec }) => Number(spec.pool.generation)))
  return slices.filter(({ spec }) => Number(spec.pool.generation) === latest)
}

/** Returns the taints that a driver has given to a device. Empty if the pool does not have the device. */
export function taintsOfDevice(slices: readonly ResourceSlice[], name: string): readonly DeviceTaint[] {
  for (const { spec } of latestSlices(slices)) {
    const device: AnyDevice | undefined = spec.devices?.find(each => each.name === name)
    if (device) return device.taints ?? device.basic?.taints ?? []
  }
  return []
}
