import type { OfferedDevice } from './offered-devices.ts'

type Groups = readonly string[]

/**
 * Groups of the devices that use a counter set at the same time. All of them have a group in common, or none has any.
 * Source: compatibility_groups.go of k8s.io/dynamic-resource-allocation/structured.
 */
export class CompatibilityGroups {
  /** Groups of each device, by counter set, as `DRIVER/POOL/SET`. */
  readonly #used = new Map<string, Groups[]>()

  /** Reports whether a device may use its counter sets beside the devices that were added. */
  admits(device: OfferedDevice): boolean {
    return counterSets(device).every(({ key, groups }) => {
      const used = this.#used.get(key) ?? []
      if (groups.length === 0) return used.every(each => each.length === 0)
      return used.length === 0 || groups.some(group => used.every(each => each.includes(group)))
    })
  }

  add(device: OfferedDevice): void {
    for (const { key, groups } of counterSets(device)) {
      const used = this.#used.get(key)
      if (used) used.push(groups)
      else this.#used.set(key, [groups])
    }
  }

  /** Removes the device that was added last. */
  removeLast(device: OfferedDevice): void {
    for (const { key } of counterSets(device)) this.#used.get(key)?.pop()
  }
}

const counterSets = ({ driver, pool, device }: OfferedDevice): { readonly key: string; readonly groups: Groups }[] =>
  (device.consumesCounters ?? []).map(({ counterSet, compatibilityGroups = [] }) => ({
    key: `${driver}/${pool}/${counterSet}`,
    groups: compatibilityGroups,
  }))

/** Reports whether a device has groups. */
export const hasCompatibilityGroups = ({ device }: OfferedDevice): boolean =>
  device.consumesCounters?.some(({ compatibilityGroups }) => compatibilityGroups?.length) ?? false
