import type { FieldError } from './field-error.ts'
import { invalid } from './field-error.ts'
import type { FieldPath } from './field-path.ts'

/** An address of 4 or 16 bytes. As in Go, an IPv4-mapped IPv6 address is an IPv4 address. */
export type IpAddress = Uint8Array

/** An IP prefix. */
export interface Cidr {
  /** Address as written, including bits beyond the prefix. */
  readonly address: IpAddress
  /** Address with the bits beyond the prefix cleared. */
  readonly network: IpAddress
  readonly prefix: number
  readonly family: 4 | 6
}

/** 4 or 6, by the number of bytes. A mapped address (`::ffff:…`) has been reduced to four. */
export const familyOf = (ip: IpAddress): 4 | 6 => (ip.length === 4 ? 4 : 6)

/**
 * Reports whether an address is global unicast, like Go's IsGlobalUnicast: not unspecified, broadcast, loopback,
 * multicast or link-local. Private addresses are.
 */
export function isGlobalUnicast(ip: IpAddress): boolean {
  const [first = 0, second = 0] = ip
  if (ip.every(byte => byte === 0)) return false
  if (ip.length === 4)
    return !ip.every(byte => byte === 255) && first !== 127 && !(first >= 224 && first < 240) && !(first === 169 && second === 254)
  const isLoopback = ip.subarray(0, 15).every(byte => byte === 0) && ip[15] === 1
  return !isLoopback && first !== 0xff && !(first === 0xfe && (second & 0xc0) === 0x80)
}

/** Returns four bytes. Undefined if the text is no address. */
function parseV4(text: string): number[] | undefined {
  // An invalid text is split only as far as needed to detect that.
  const parts = text.split('.', 5)
  if (parts.length !== 4) return undefined
  const bytes: number[] = []
  for (const part of parts) {
    // Leading zeros are decimal here, because old API fields allow them.
    if (!/^[0-9]+$/.test(part) || Number(part) > 255) return undefined
    bytes.push(Number(part))
  }
  return bytes
}

const MOST_GROUPS = 8

/** Parses an IPv6 address into sixteen bytes. `::` stands for at least one missing group. */
function parseV6(text: string): number[] | undefined {
  const [first = '', second, more] = text.split('::', 3)
  if (more !== undefined) return undefined
  const groups = (half: string): number[] | undefined => {
    if (half === '') return []
    const bytes: number[] = []
    const parts = half.split(':', MOST_GROUPS + 1)
    for (const [i, part] of parts.entries()) {
      if (i === parts.length - 1 && part.includes('.')) {
        const v4 = parseV4(part)
        if (!v4) return undefined
        bytes.push(...v4)
      } else {
        const n = /^[0-9a-fA-F]+$/.test(part) ? Number.parseInt(part, 16) : 0x10000
        if (n > 0xffff) return undefined
        bytes.push(n >> 8, n & 255)
      }
    }
    return bytes
  }
  const head = groups(first)
  if (!head) return undefined
  if (second === undefined) return head.length === 16 ? head : undefined
  const tail = groups(second)
  // An embedded IPv4 address must be at the end.
  if (!tail || head.length + tail.length > 14 || first.includes('.')) return undefined
  return [...head, ...new Array<number>(16 - head.length - tail.length).fill(0), ...tail]
}

/** Parses an address like Go's net.ParseIP, but also accepts leading zeros, as decimal. */
export function parseIp(text: string): IpAddress | undefined {
  if (!text.includes(':')) {
    const v4 = parseV4(text)
    return v4 && Uint8Array.from(v4)
  }
  const v6 = parseV6(text)
  if (!v6) return undefined
  const mapped = v6.slice(0, 10).every(b => b === 0) && v6[10] === 255 && v6[11] === 255
  return Uint8Array.from(mapped ? v6.slice(12) : v6)
}

/** Prints an address in canonical form (RFC 5952). */
export function printIp(ip: IpAddress): string {
  if (ip.length === 4) return ip.join('.')
  const groups: number[] = []
  for (let i = 0; i < 16; i += 2) groups.push(((ip[i] ?? 0) << 8) | (ip[i + 1] ?? 0))
  let start = -1
  let length = 1
  for (let i = 0; i < 8; i++) {
    let n = 0
    while (i + n < 8 && groups[i + n] === 0) n++
    if (n > length) {
      start = i
      length = n
    }
  }
  const hex = (part: number[]): string => part.map(group => group.toString(16)).join(':')
  return start < 0 ? hex(groups) : `${hex(groups.slice(0, start))}::${hex(groups.slice(start + length))}`
}

/** Converts an address to an integer of 32 bits for IPv4, 128 bits for IPv6. */
export const addressNumber = (ip: IpAddress): bigint => ip.reduce((n, byte) => (n << 8n) | BigInt(byte), 0n)

/** Converts such an integer to an address. */
export function numberedAddress(n: bigint, family: 4 | 6): IpAddress {
  const bytes = new Uint8Array(family === 4 ? 4 : 16)
  for (let i = bytes.length - 1, rest = n; i >= 0; i--, rest >>= 8n) bytes[i] = Number(rest & 255n)
  return bytes
}

/** Parses a CIDR like Go's net.ParseCIDR, with addresses of `parseIp`. */
export function parseCidr(text: string): Cidr | undefined {
  const slash = text.indexOf('/')
  if (slash < 0) return undefined
  const address = parseIp(text.slice(0, slash))
  const digits = text.slice(slash + 1)
  if (!address || !/^[0-9]{1,3}$/.test(digits)) return undefined
  const writtenBits = text.slice(0, slash).includes(':') ? 128 : 32
  const written = Number(digits)
  if (written > writtenBits) return undefined
  // The prefix of an IPv4-mapped address includes the 96 bits before it.
  const prefix = address.length === 4 && writtenBits === 128 ? Math.max(0, written - 96) : written
  const network = address.map((byte, i) => byte & (0xff00 >> Math.min(8, Math.max(0, prefix - i * 8))))
  return { address, network, prefix, family: familyOf(address) }
}

/** Prints a CIDR in canonical form. */
export const printCidr = (cidr: Cidr): string => `${printIp(cidr.network)}/${cidr.prefix}`

/** Reports whether a text is an IPv6 address that is not IPv4-mapped. */
export function isIPv6(text: string): boolean {
  return parseIp(text)?.length === 16
}

const IP_ERROR = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'
const CIDR_ERROR = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'

/** Reports whether a decimal part of an address has a leading zero, or a group has more than four digits. */
export const hasLeadingZero = (text: string): boolean =>
  /(^|[.:])0[0-9]+\./.test(text) || /\.0[0-9]+$/.test(text) || /[0-9a-fA-F]{5}/.test(text)
const isMapped = (text: string, ip: IpAddress): boolean => text.includes(':') && ip.length === 4

/**
 * Returns the fault of an address, or undefined. Unless `isStrict` is set, leading zeros and IPv4-mapped IPv6 addresses
 * are accepted.
 */
export function ipFault(text: string, isStrict: boolean): string | undefined {
  const ip = parseIp(text)
  if (!ip) return IP_ERROR
  if (!isStrict) return undefined
  if (hasLeadingZero(text)) return 'must not have leading 0s'
  return isMapped(text, ip) ? 'must not be an IPv4-mapped IPv6 address' : undefined
}

/** Returns the fault of a CIDR, or undefined. If `isStrict` is set, it may not have bits beyond the prefix either. */
export function cidrFault(text: string, isStrict: boolean): string | undefined {
  const cidr = parseCidr(text)
  if (!cidr) return CIDR_ERROR
  if (!isStrict) return undefined
  const ipText = text.slice(0, text.indexOf('/'))
  if (hasLeadingZero(ipText) || /\/0[0-9]/.test(text)) return 'must not have leading 0s in IP or prefix length'
  if (isMapped(ipText, cidr.address)) return 'must not have an IPv4-mapped IPv6 address'
  return cidr.address.every((byte, i) => byte === cidr.network[i]) ? undefined : 'must not have bits set beyond the prefix length'
}

/** Validates an address of a newer field, which must be canonical. */
export function validateIpStrict(path: FieldPath, text: string): FieldError[] {
  const ip = parseIp(text)
  const fault = ipFault(text, true) ?? (ip && notCanonical(text, printIp(ip)))
  return fault === undefined ? [] : [invalid(path, text, fault)]
}

/** Validates a CIDR of a newer field, which must be canonical. */
export function validateCidrStrict(path: FieldPath, text: string): FieldError[] {
  const cidr = parseCidr(text)
  const fault = cidrFault(text, true) ?? (cidr && notCanonical(text, printCidr(cidr)))
  return fault === undefined ? [] : [invalid(path, text, fault)]
}

const notCanonical = (text: string, canonical: string): string | undefined =>
  text === canonical ? undefined : `must be in canonical form ("${canonical}")`

/** Warnings for a valid address that newer fields would reject. */
export function ipWarnings(path: FieldPath, text: string): string[] {
  const ip = parseIp(text)
  if (!ip) return []
  if (hasLeadingZero(text) || isMapped(text, ip))
    return [
      `${path.text}: non-standard IP address "${text}" will be considered invalid in a future Kubernetes release: use "${printIp(ip)}"`,
    ]
  if (ip.length === 16 && printIp(ip) !== text)
    return [`${path.text}: IPv6 address "${text}" should be in RFC 5952 canonical format ("${printIp(ip)}")`]
  return []
}

/** Warnings for a valid CIDR that newer fields would reject. */
export function cidrWarnings(path: FieldPath, text: string): string[] {
  const cidr = parseCidr(text)
  if (!cidr) return []
  const ipText = text.slice(0, text.indexOf('/'))
  const canonical = printCidr(cidr)
  const warnings: string[] = []
  if (!cidr.address.every((byte, i) => byte === cidr.network[i])) {
    const single = `${printIp(cidr.address)}/${cidr.family === 4 ? 32 : 128}`
    warnings.push(`${path.text}: CIDR value "${text}" is ambiguous in this context (should be "${canonical}" or "${single}"?)`)
  }
  if (hasLeadingZero(ipText) || /\/0[0-9]/.test(text) || isMapped(ipText, cidr.address)) {
    warnings.push(
      `${path.text}: non-standard CIDR value "${text}" will be considered invalid in a future Kubernetes release: use "${canonical}"`,
    )
  }
  if (warnings.length === 0 && cidr.family === 6 && canonical !== text) {
    warnings.push(`${path.text}: IPv6 CIDR value "${text}" should be in RFC 5952 canonical format ("${canonical}")`)
  }
  return warnings
}
