import { parseCidr } from '../meta/ip.ts'
import type { FlagReader } from './flag-reader.ts'
import { FlagError } from './parse-flags.ts'
import { type ServiceConfig, servicesOf } from './service-config.ts'

/** Connections to kubelets. Files are paths. */
export interface KubeletConfig {
  /** Types of node addresses, the preferred first. */
  readonly addressTypes: readonly string[]
  /** Port of a kubelet if its node does not report one. */
  readonly port: number
  /** CAs of kubelets. Undefined if their certificates are not verified. */
  readonly caFile: string | undefined
  /** Client certificate and its key. Undefined if kubelets receive none. */
  readonly client: { readonly cert: string; readonly key: string } | undefined
}

/** Addresses of services and connections to other servers. */
export interface NetworkConfig {
  /** One CIDR, or two of different families. The first is the default. */
  readonly serviceClusterIpRanges: readonly string[]
  /** Inclusive. */
  readonly serviceNodePorts: { readonly first: number; readonly last: number }
  /** Connections for logs, exec and the like. */
  readonly kubelets: KubeletConfig
  /** Load balancer addresses and further options of services. */
  readonly services: ServiceConfig
}

/** Parses the flags of services and kubelets. Throws FlagError. */
export const networkOf = (read: FlagReader): NetworkConfig => ({
  serviceClusterIpRanges: rangesOf(read, 'service-cluster-ip-range'),
  serviceNodePorts: nodePortsOf(read.text('service-node-port-range') ?? ''),
  kubelets: kubeletsOf(read),
  services: servicesOf(read),
})

/** Parses CIDRs that are separated by commas. Throws FlagError. */
export function rangesOf(read: FlagReader, flag: 'service-cluster-ip-range' | 'load-balancer-ip-range'): string[] {
  const ranges = (read.text(flag) ?? '').split(',').filter(range => range !== '')
  for (const range of ranges)
    if (parseCidr(range) === undefined) throw new FlagError(`--${flag}: ${JSON.stringify(range)} is not a CIDR such as 10.0.0.0/24`)
  return ranges
}

/** NodeAddressType of core/v1. */
const ADDRESS_TYPES = ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP']

/** Parses the kubelet flags. Throws FlagError. */
function kubeletsOf(read: FlagReader): KubeletConfig {
  const addressTypes = read.list('kubelet-preferred-address-types')
  for (const type of addressTypes)
    if (!ADDRESS_TYPES.includes(type))
      throw new FlagError(
        `--kubelet-preferred-address-types: ${JSON.stringify(type)} is not a type of address; it may be ${ADDRESS_TYPES.join(', ')}`,
      )
  return {
    addressTypes,
    port: read.port('kubelet-port'),
    caFile: read.text('kubelet-certificate-authority'),
    client: read.pair('kubelet-client-certificate', 'kubelet-client-key'),
  }
}

/** Parses a port range as apimachinery's PortRange: `30000-32767`, `30000+2767`, or one port. Throws FlagError. */
function nodePortsOf(text: string): { first: number; last: number } {
  // Both bounds are inclusive.
  const dash = /^(\d+)-(\d+)$/.exec(text)
  const plus = /^(\d+)\+(\d+)$/.exec(text)
  const first = Number(dash?.[1] ?? plus?.[1] ?? (/^\d+$/.test(text) ? text : Number.NaN))
  const last = dash ? Number(dash[2]) : plus ? first + Number(plus[2]) : first
  if (!(first >= 1 && first <= last && last <= 65535))
    throw new FlagError(`--service-node-port-range: ${JSON.stringify(text)} is not a range of ports such as 30000-32767`)
  return { first, last }
}
