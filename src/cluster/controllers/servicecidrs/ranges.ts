import type { ServiceCIDR } from '../../../api/networking/v1.types.ts'
import { addressNumber, type Cidr, familyOf, type IpAddress, parseCidr } from '../../../meta/ip.ts'

/** A range of a ServiceCIDR. */
export interface ServiceRange {
  /** Name of the ServiceCIDR. */
  readonly name: string
  readonly family: 4 | 6
  readonly prefix: number
  readonly first: bigint
  readonly last: bigint
}

function rangeOf(name: string, { network, prefix, family }: Cidr): ServiceRange {
  const first = addressNumber(network)
  return { name, family, prefix, first, last: first + (1n << BigInt((family === 4 ? 32 : 128) - prefix)) - 1n }
}

/** Returns the ranges of ServiceCIDRs, one or two for each. */
export const serviceRanges = (cidrs: Iterable<ServiceCIDR>): ServiceRange[] =>
  [...cidrs].flatMap(({ metadata: { name = '' }, spec }) =>
    (spec.cidrs ?? []).flatMap(text => {
      const cidr = parseCidr(text)
      return cidr ? [rangeOf(name, cidr)] : []
    }),
  )

const overlap = (a: ServiceRange, b: ServiceRange): boolean => a.family === b.family && a.first <= b.last && b.first <= a.last

/** Names of the ServiceCIDRs that contain a part of another one, or that it contains. */
export function overlappingNames(cidr: ServiceCIDR, ranges: readonly ServiceRange[]): ReadonlySet<string> {
  const own = serviceRanges([cidr])
  return new Set(ranges.filter(range => own.some(each => overlap(each, range))).map(({ name }) => name))
}

/** Reports whether addresses may be allocated from a range: not the first one, and not the last one of IPv4. */
function contains({ family, first, last }: ServiceRange, address: IpAddress): boolean {
  if (familyOf(address) !== family) return false
  const number = addressNumber(address)
  return number > first && (family === 4 ? number < last : number <= last)
}

/** Names of the ServiceCIDRs from which an address may have been allocated. */
export const containingNames = (address: IpAddress, ranges: readonly ServiceRange[]): ReadonlySet<string> =>
  new Set(ranges.filter(range => contains(range, address)).map(({ name }) => name))

/** Reports whether each range of a ServiceCIDR lies in a range of another one, which keeps its addresses valid. */
export const isCovered = (cidr: ServiceCIDR, ranges: readonly ServiceRange[]): boolean =>
  serviceRanges([cidr]).every(own => ranges.some(range => range.name !== own.name && range.prefix <= own.prefix && overlap(range, own)))

/** Reports whether an address belongs to no ServiceCIDR but this one. */
export function wouldBeOrphan(address: IpAddress, name: string, ranges: readonly ServiceRange[]): boolean {
  const names = containingNames(address, ranges)
  return names.size === 1 && names.has(name)
}
