import { addressNumber, type Cidr, familyOf, numberedAddress, parseCidr, parseIp, printIp } from '../../../meta/ip.ts'

type Family = 4 | 6

/**
 * Addresses of a range that can be assigned, by number. IPv4 ranges with more than two addresses do not assign their
 * first and last one.
 */
interface AddressRange {
  readonly family: Family
  readonly first: bigint
  readonly last: bigint
}

function rangeOf({ network, prefix, family }: Cidr): AddressRange {
  const size = 1n << BigInt((family === 4 ? 32 : 128) - prefix)
  const first = addressNumber(network)
  const margin = size > 2n ? 1n : 0n
  return { family, first: first + margin, last: first + size - 1n - (family === 4 ? margin : 0n) }
}

/**
 * Assigns addresses of ranges to load balancers. The lowest free address comes first, so that equal requests get equal
 * addresses.
 */
export class AddressPool {
  readonly #ranges: readonly AddressRange[]
  /** Owners by address. */
  readonly #owners = new Map<string, string>()
  /** Numbers below which all addresses of a range are assigned. */
  readonly #cursors: bigint[]

  /** @param ranges CIDRs. Invalid ones are left out. */
  constructor(ranges: readonly string[]) {
    this.#ranges = ranges.flatMap(text => {
      const cidr = parseCidr(text)
      return cidr ? [rangeOf(cidr)] : []
    })
    this.#cursors = this.#ranges.map(({ first }) => first)
  }

  /** Assigns an address that an owner has already. Returns whether it is in a range, and no other owner's. */
  take(text: string, owner: string): boolean {
    const ip = parseIp(text)
    if (
      !ip ||
      !this.#ranges.some(range => range.family === familyOf(ip) && range.first <= addressNumber(ip) && addressNumber(ip) <= range.last)
    )
      return false
    const address = printIp(ip)
    const holder = this.#owners.get(address) ?? owner
    this.#owners.set(address, holder)
    return holder === owner
  }

  /** Assigns the lowest free address of a family. Undefined if there is none. */
  assign(family: Family, owner: string): string | undefined {
    for (const [i, range] of this.#ranges.entries()) {
      if (range.family !== family) continue
      for (let number = this.#cursors[i] ?? range.first; number <= range.last; number++) {
        const address = printIp(numberedAddress(number, family))
        this.#cursors[i] = number
        if (this.#owners.has(address)) continue
        this.#owners.set(address, owner)
        return address
      }
    }
    return undefined
  }

  /** Takes addresses back from an owner. */
  release(addresses: readonly string[], owner: string): void {
    for (const address of addresses) {
      if (this.#owners.get(address) !== owner) continue
      this.#owners.delete(address)
      const ip = parseIp(address)
      if (!ip) continue
      for (const [i, { family, first, last }] of this.#ranges.entries()) {
        const number = addressNumber(ip)
        if (family === familyOf(ip) && first <= number && number <= last && number < (this.#cursors[i] ?? last)) this.#cursors[i] = number
      }
    }
  }
}
