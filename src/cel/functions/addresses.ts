import { quote } from '../../lib/go-quote.ts'
import { type IpAddress, isGlobalUnicast, printIp } from '../../meta/ip.ts'
import { CelError, CelObject, noSuchOverload, type Value } from '../values/value.ts'
import type { Implementations } from './implementation.ts'
import { masked, NetAddressError, type Prefix, parseAddress, parsePrefix, sameAddress } from './net-address.ts'

/**
 * A value of `ip()`: an address of 4 or 16 bytes. It equals only the same address; a `net.IP` and a `net.CIDR` do not
 * compare.
 */
export class IpValue extends CelObject {
  readonly typeName = 'net.IP'
  readonly address: IpAddress

  constructor(address: IpAddress) {
    super()
    this.address = address
  }

  equals(other: Value): boolean | CelError {
    return other instanceof IpValue ? sameAddress(this.address, other.address) : noSuchOverload(other)
  }

  override size(): number {
    return this.address.length
  }
}

/** A value of `cidr()`: an address and a prefix length in bits. */
export class CidrValue extends CelObject {
  readonly typeName = 'net.CIDR'
  readonly prefix: Prefix

  constructor(prefix: Prefix) {
    super()
    this.prefix = prefix
  }

  equals(other: Value): boolean | CelError {
    if (!(other instanceof CidrValue)) return noSuchOverload(other)
    return this.prefix.bits === other.prefix.bits && sameAddress(this.prefix.address, other.prefix.address)
  }

  override size(): number {
    return Math.ceil(this.prefix.bits / 8)
  }
}

/** Returns the parsed value, or an error with the context and Go's message. */
function parsedOrError(make: () => Value, context: string): Value {
  try {
    return make()
  } catch (fault) {
    if (fault instanceof NetAddressError) return new CelError(`${context}${fault.message}`)
    throw fault
  }
}

/** The error for an IPv4-mapped IPv6 address such as `::ffff:10.0.0.1`, which upstream never accepts. */
const notMapped = (text: string): CelError => new CelError(`IPv4-mapped IPv6 address ${quote(text)} is not allowed`)

/** Parses an address. The error is a value, so that an expression can test for it (`isIP(x) ? … : …`). */
const toIp = (text: string): Value =>
  parsedOrError(
    () => {
      const { address, zone, mapped: isMapped } = parseAddress(text)
      if (zone !== '') return new CelError(`IP address ${quote(text)} with zone value is not allowed`)
      return isMapped ? notMapped(text) : new IpValue(address)
    },
    `IP Address ${quote(text)} parse error during conversion from string: `,
  )

/**
 * Prefix of netip's message. It occurs twice in errors: upstream adds it in the function and in the parser that it
 * calls.
 */
const NETWORK = 'network address parse error during conversion from string: '

const toCidr = (text: string): Value =>
  parsedOrError(() => {
    const prefix = parsePrefix(text)
    return prefix.mapped ? new CelError(`${NETWORK}${notMapped(text).message}`) : new CidrValue(prefix)
  }, `${NETWORK}${NETWORK}`)

/** Reports whether the text is the canonical form (RFC 5952). An error if it is not an address. */
function isCanonical(text: string): Value {
  const ip = toIp(text)
  return ip instanceof IpValue ? printIp(ip.address) === text : ip
}

/** Address classes of Go's netip.Addr, for addresses of 4 or 16 bytes. */
const beginsWith = (address: IpAddress, first: number, mask: number): boolean => ((address[0] ?? 0) & mask) === first
const isV4 = (address: IpAddress): boolean => address.length === 4
const isLinkLocal = (address: IpAddress): boolean =>
  isV4(address) ? address[0] === 169 && address[1] === 254 : beginsWith(address, 0xfe, 0xff) && ((address[1] ?? 0) & 0xc0) === 0x80
const isLinkLocalMulticast = (address: IpAddress): boolean =>
  isV4(address)
    ? address[0] === 224 && address[1] === 0 && address[2] === 0
    : beginsWith(address, 0xff, 0xff) && ((address[1] ?? 0) & 0x0f) === 0x02
const isLoopback = (address: IpAddress): boolean =>
  isV4(address) ? address[0] === 127 : address.subarray(0, 15).every(byte => byte === 0) && address[15] === 1

const holds =
  (test: (address: IpAddress) => boolean) =>
  ({ address }: IpValue): Value =>
    test(address)

/** Functions of addresses. Source: kubernetes/apiserver, pkg/cel/library/ip.go. */
export const IP_FUNCTIONS: Implementations = {
  ip_family: ({ address }: IpValue) => (isV4(address) ? 4 : 6),
  string_to_ip: toIp,
  ip_is_canonical: isCanonical,
  ip_is_global_unicast: holds(isGlobalUnicast),
  is_ip: (text: string) => toIp(text) instanceof IpValue,
  ip_is_link_local_multicast: holds(isLinkLocalMulticast),
  ip_is_link_local_unicast: holds(isLinkLocal),
  ip_is_loopback: holds(isLoopback),
  ip_is_unspecified: holds(address => address.every(byte => byte === 0)),
  ip_to_string: ({ address }: IpValue) => printIp(address),
}

/** Reports whether a network contains an address. An address of the other family is never contained. */
function containsIp({ prefix }: CidrValue, ip: Value): Value {
  // Upstream reports an invalid address as an argument that fits no signature.
  if (!(ip instanceof IpValue)) return noSuchOverload(null)
  return ip.address.length === prefix.address.length && sameAddress(masked({ ...prefix, address: ip.address }), masked(prefix))
}

/**
 * Reports whether a network contains another one, whose prefix must be at least as long and begin with the same bits.
 */
function containsCidr(cidr: CidrValue, other: Value): Value {
  if (!(other instanceof CidrValue)) return noSuchOverload(other)
  return cidr.prefix.bits <= other.prefix.bits && containsIp(cidr, new IpValue(other.prefix.address))
}

/** Functions of networks. Source: kubernetes/apiserver, pkg/cel/library/cidr.go. */
export const CIDR_FUNCTIONS: Implementations = {
  string_to_cidr: toCidr,
  cidr_contains_cidr_string: (cidr: CidrValue, text: string) => containsCidr(cidr, toCidr(text)),
  cidr_contains_cidr: containsCidr,
  cidr_contains_ip_string: (cidr: CidrValue, text: string) => containsIp(cidr, toIp(text)),
  cidr_contains_ip_ip: containsIp,
  cidr_ip: ({ prefix }: CidrValue) => new IpValue(prefix.address),
  is_cidr: (text: string) => toCidr(text) instanceof CidrValue,
  cidr_masked: ({ prefix }: CidrValue) => new CidrValue({ ...prefix, address: masked(prefix) }),
  cidr_prefix_length: ({ prefix }: CidrValue) => prefix.bits,
  cidr_to_string: ({ prefix }: CidrValue) => `${printIp(prefix.address)}/${prefix.bits}`,
}
