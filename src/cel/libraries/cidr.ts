import { parseDeclarations } from '../declarations.ts'

/**
 * Networks, given as the prefix of an IP address (since 1.30): `cidr('10.0.0.0/8').containsIP('10.1.2.3')`. Texts are
 * parsed as by Go's netip, which is stricter than API fields: no leading zeros, no zone, no IPv4-mapped IPv6 address.
 * Bits after the prefix are kept; `masked` clears them. Source: kubernetes/apiserver, pkg/cel/library/cidr.go.
 */
export const CIDR = parseDeclarations(`
  string_to_cidr: cidr(string) -> net.CIDR
  cidr_contains_cidr_string: .containsCIDR(net.CIDR, string) -> bool
  cidr_contains_cidr: .containsCIDR(net.CIDR, net.CIDR) -> bool
  cidr_contains_ip_string: .containsIP(net.CIDR, string) -> bool
  cidr_contains_ip_ip: .containsIP(net.CIDR, net.IP) -> bool
  cidr_ip: .ip(net.CIDR) -> net.IP
  is_cidr: isCIDR(string) -> bool
  cidr_masked: .masked(net.CIDR) -> net.CIDR
  cidr_prefix_length: .prefixLength(net.CIDR) -> int
  cidr_to_string: string(net.CIDR) -> string
`)
