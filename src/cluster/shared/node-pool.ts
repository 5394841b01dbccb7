import type { Taint } from '../../api/core/v1.types.ts'

/** Simulated nodes that are alike. Their names are the prefix and a number, from 1 on. */
export interface NodePool {
  readonly namePrefix: string
  readonly count: number
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  readonly taints: readonly Taint[]
  readonly capacity: Readonly<Record<string, string>>
  readonly allocatable: Readonly<Record<string, string>>
  /** Zones to which the nodes are assigned in turn. Empty for nodes without a zone. */
  readonly zones: readonly string[]
  /** Empty for nodes without a region. */
  readonly region: string
  readonly os: string
  readonly architecture: string
}
