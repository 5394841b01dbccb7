import { quote } from '../lib/go-quote.ts'
import type { FieldPath } from './field-path.ts'
import { hasLeadingZero, parseIp, printIp } from './ip.ts'

/**
 * Warnings of releases before 1.33 for a valid address that newer fields would reject, in the words of Go's net/netip.
 */

/** The text has been validated: an address that does not parse has no warning. */
export function oldIpWarnings(path: FieldPath, text: string): string[] {
  const fault = addressFault(text)
  if (fault !== undefined) return [`${path}: IP address was accepted, but will be invalid in a future Kubernetes release: ${fault}`]
  const canonical = canonicalV6(text)
  if (canonical === undefined || canonical === text) return []
  return [
    `${path}: IPv6 address ${quote(text)} is not in RFC 5952 canonical format (${quote(canonical)}), which may cause controller apply-loops`,
  ]
}

/** Warnings of releases before 1.33 for a valid CIDR that newer fields would reject. */
export function oldCidrWarnings(path: FieldPath, text: string): string[] {
  const [address = '', bits = ''] = text.split('/')
  const fault = addressFault(address) ?? (bits.length > 1 && bits.startsWith('0') ? `bad bits after slash: ${quote(bits)}` : undefined)
  if (fault !== undefined)
    return [
      `${path}: IP prefix was accepted, but will be invalid in a future Kubernetes release: netip.ParsePrefix(${quote(text)}): ${fault}`,
    ]
  const canonical = canonicalV6(address)
  if (canonical === undefined || canonical === address) return []
  const shown = `${canonical}/${Number(bits)}`
  return [
    `${path}: IPv6 prefix ${quote(text)} is not in RFC 5952 canonical format (${quote(shown)}), which may cause controller apply-loops`,
  ]
}

const addressFault = (text: string): string | undefined =>
  hasLeadingZero(text) ? `ParseAddr(${quote(text)}): IPv4 field has octet with leading zero` : undefined

/** Prints an IPv6 address like net/netip: an IPv4-mapped one keeps its form. Undefined for other texts. */
function canonicalV6(text: string): string | undefined {
  if (!text.includes(':')) return undefined
  const ip = parseIp(text)
  return ip && (ip.length === 4 ? `::ffff:${printIp(ip)}` : printIp(ip))
}
