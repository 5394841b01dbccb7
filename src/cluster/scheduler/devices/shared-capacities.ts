import type { CapacityRequirements } from '../../../api/resource/v1beta2.types.ts'
import { addParsed, compareParsed, parseQuantity, type Quantity } from '../../../meta/quantity.ts'
import { type CapacityAmounts, type CapacityRules, consumedAmounts } from './capacity-requests.ts'
import type { RequestAlternative } from './claim-requests.ts'
import type { OfferedDevice } from './offered-devices.ts'

/** Devices that claims use. */
export interface AllocatedDevices {
  /** Ids of devices that one claim has for itself. */
  readonly exclusive: ReadonlySet<string>
  /** Consumed capacities of devices that claims share, by id. */
  readonly shared: ReadonlyMap<string, CapacityAmounts>
}

/** Rules for devices that several claims may share. */
export interface SharingRules extends CapacityRules {
  /** Whether devices may be shared, and requests may have capacities. Gate DRAConsumableCapacity. */
  readonly consumableCapacity: boolean
}

/** Reports whether several claims may use a device. */
export const isShareable = ({ device }: OfferedDevice, { consumableCapacity }: SharingRules): boolean =>
  consumableCapacity && (device.allowMultipleAllocations ?? false)

/** Capacities of devices while devices are chosen. */
export class SharedCapacities {
  readonly #allocated: AllocatedDevices
  readonly #rules: SharingRules
  /** Amounts that this search consumes, by device. */
  readonly #taken = new Map<string, CapacityAmounts[]>()
  /** Amounts by device, for each request with capacities. */
  readonly #amounts = new Map<CapacityRequirements | undefined, Map<string, CapacityAmounts | undefined>>()

  constructor(allocated: AllocatedDevices, rules: SharingRules) {
    this.#allocated = allocated
    this.#rules = rules
  }

  /** Reports whether a claim, or this search, uses a share of the device. */
  isInUse({ id }: OfferedDevice): boolean {
    return this.#allocated.shared.has(id) || (this.#taken.get(id)?.length ?? 0) > 0
  }

  /** Reports whether enough is left of a device. Throws an Error that names the capacity that cannot be computed. */
  suffices({ capacity }: RequestAlternative, device: OfferedDevice): boolean {
    if (!this.#rules.consumableCapacity) return true
    const amounts = this.#amountsOf(capacity, device)
    if (amounts === undefined) return false
    const used = [this.#allocated.shared.get(device.id), ...(this.#taken.get(device.id) ?? [])]
    for (const [name, amount] of amounts) {
      let sum = amount
      for (const each of used) {
        const before = each?.get(name)
        if (before) sum = addParsed(sum, before, false)
      }
      if (compareParsed(sum, parseQuantity(device.device.capacity?.[name]?.value ?? '0')) > 0) return false
    }
    return true
  }

  /** Takes a share of a device that suffices. */
  take({ capacity }: RequestAlternative, device: OfferedDevice): void {
    if (!isShareable(device, this.#rules)) return
    const taken = this.#taken.get(device.id) ?? []
    taken.push(this.#amountsOf(capacity, device) ?? new Map())
    this.#taken.set(device.id, taken)
  }

  /** Gives back the share that was taken last. */
  release(device: OfferedDevice): void {
    this.#taken.get(device.id)?.pop()
  }

  #amountsOf(capacity: CapacityRequirements | undefined, device: OfferedDevice): CapacityAmounts | undefined {
    const known = this.#amounts.get(capacity) ?? new Map<string, CapacityAmounts | undefined>()
    this.#amounts.set(capacity, known)
    if (!known.has(device.id)) known.set(device.id, consumedAmounts(capacity, device.device, this.#rules))
    return known.get(device.id)
  }
}

/** Adds amounts to those of a device. */
export function addAmounts(to: Map<string, Map<string, Quantity>>, id: string, amounts: Readonly<Record<string, string>>): void {
  const sums = to.get(id) ?? new Map<string, Quantity>()
  for (const [name, text] of Object.entries(amounts)) {
    const before = sums.get(name)
    const amount = parseQuantity(text)
    sums.set(name, before ? addParsed(before, amount, false) : amount)
  }
  to.set(id, sums)
}
