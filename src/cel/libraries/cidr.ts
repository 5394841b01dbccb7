import { declare } from '../declarations.ts'

/** Networks: a prefix of an IP address. */
export const CIDR = declare(`
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
