/** Ranges from which nodes get the addresses of their pods, one of each family. */
export interface NodeCidrs {
  /** CIDRs with the prefix length of the block that a node gets from each. */
  readonly ranges: readonly { readonly cidr: string; readonly mask: number }[]
  /** CIDRs of services, whose addresses no node gets. */
  readonly serviceCIDRs: readonly string[]
}
