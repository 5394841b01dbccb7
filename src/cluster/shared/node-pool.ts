import type { Taint } from '../../api/core/v1.types.ts'

/** Simulated nodes that are alike. Their names are the prefix and a number, from 1 on. */
export interface NodePool {
  /** Prefix of the names, as it is: a hyphen before the number is part of it. */
  readonly namePrefix: string
  readonly count: number
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  /** Taints that the nodes have when they are registered. */
  readonly taints: readonly Taint[]
  /** Quantities by resource: `cpu`, `memory`, `pods`. */
  readonly capacity: Readonly<Record<string, string>>
  /** Quantities by resource that pods can request. */
  readonly allocatable: Readonly<Record<string, string>>
  /** Zones to which the nodes are assigned in turn. Empty for nodes without a zone. */
  readonly zones: readonly string[]
  /** Empty for nodes without a region. */
  readonly region: string
  /** Operating system as Go names it: `linux`. */
  readonly os: string
  /** Architecture as Go names it: `amd64`. */
  readonly architecture: string
}
