import { invariant } from '../../../../lib/invariant.ts'
import { isStepDone, type Steps } from '../../../../lib/steps.ts'
import { addressNumber, numberedAddress, parseCidr, printCidr, printIp } from '../../../../meta/ip.ts'
import type { AddressFamily } from '../ip-families.ts'

/** Addresses of a CIDR that services may use: all but the network address and, for IPv4, the broadcast address. */
export interface IPRange {
  readonly cidr: string
  readonly family: AddressFamily
  readonly network: bigint
  /** Usable addresses, inclusive. */
  readonly first: bigint
  readonly last: bigint
  /** Last address of the CIDR, inclusive. */
  readonly end: bigint
  /**
   * First address for dynamic allocation. Addresses before it are reserved for static allocation until the others are
   * used up.
   */
  readonly dynamic: bigint
}

/** Prints an address that is given as an integer, in canonical form (RFC 5952). */
export const printAddress = (n: bigint, family: AddressFamily): string => printIp(numberedAddress(n, family === 'IPv4' ? 4 : 6))

/**
 * Size of the static part of a range (KEP-3070): a sixteenth, at least 16 and at most 256. Ranges of up to 16 addresses
 * have none.
 */
function reserved(size: bigint): bigint {
  if (size <= 16n) return 0n
  const part = size / 16n
  return part < 16n ? 16n : part > 256n ? 256n : part
}

/** Parses a CIDR that has been validated. */
export function ipRange(text: string): IPRange {
  const cidr = parseCidr(text)
  invariant(cidr, `not a CIDR: ${text}`)
  const family = cidr.family === 4 ? 'IPv4' : 'IPv6'
  const size = 1n << BigInt((cidr.family === 4 ? 32 : 128) - cidr.prefix)
  const network = addressNumber(cidr.network)
  const end = network + size - 1n
  const first = network + 1n
  return { cidr: printCidr(cidr), family, network, first, last: family === 'IPv4' ? end - 1n : end, end, dynamic: first + reserved(size) }
}

/**
 * Returns the name of an address from `from` to `to` that is not in `taken`, in steps: the first one after a random
 * address. Undefined if there is none. `random` returns a number in [0, 1).
 */
export function* untakenAddress(
  family: AddressFamily,
  [from, to]: readonly [bigint, bigint],
  taken: ReadonlySet<string>,
  random: () => number,
): Steps<string | undefined> {
  const size = to - from + 1n
  if (size <= 0n) return undefined
  // 2^53 starting points are enough for any range.
  const start = (BigInt(Math.floor(random() * 2 ** 32)) * 2n ** 21n + BigInt(Math.floor(random() * 2 ** 21))) % size
  for (let i = 0n; i < size; i++) {
    if (isStepDone()) yield
    const name = printAddress(from + ((start + i) % size), family)
    if (!taken.has(name)) return name
  }
  return undefined
}
