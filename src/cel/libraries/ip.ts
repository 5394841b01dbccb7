import { parseDeclarations } from '../declarations.ts'

/**
 * IP addresses (since 1.30): `ip('::1').isLoopback()`. Texts are parsed as by Go's netip, which is stricter than API
 * fields. `isIP` reports whether a text is an address, `ip.isCanonical` whether it is the canonical form of one (RFC
 * 5952). Source: kubernetes/apiserver, pkg/cel/library/ip.go.
 */
export const IP = parseDeclarations(`
  ip_family: .family(net.IP) -> int
  string_to_ip: ip(string) -> net.IP
  ip_is_canonical: ip.isCanonical(string) -> bool
  ip_is_global_unicast: .isGlobalUnicast(net.IP) -> bool
  is_ip: isIP(string) -> bool
  ip_is_link_local_multicast: .isLinkLocalMulticast(net.IP) -> bool
  ip_is_link_local_unicast: .isLinkLocalUnicast(net.IP) -> bool
  ip_is_loopback: .isLoopback(net.IP) -> bool
  ip_is_unspecified: .isUnspecified(net.IP) -> bool
  ip_to_string: string(net.IP) -> string
`)
