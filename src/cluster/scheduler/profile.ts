import type { Plugin } from './framework.ts'

/** Arguments of the plugin DefaultPreemption. Source: DefaultPreemptionArgs of kubescheduler.config.k8s.io/v1. */
export interface PreemptionArgs {
  /** Optional. Default: 10. */
  readonly minCandidateNodesPercentage?: number
  /** Optional. Default: 100. */
  readonly minCandidateNodesAbsolute?: number
}

/** A plugin of a profile. */
export interface EnabledPlugin {
  readonly plugin: Plugin
  /** Factor of the plugin's scores. */
  readonly weight: number
}

/** A set of plugins under a scheduler's name. Source: KubeSchedulerProfile of kubescheduler.config.k8s.io/v1. */
export interface Profile {
  readonly schedulerName: string
  /** Plugins in the order of their calls. */
  readonly plugins: readonly EnabledPlugin[]
  /** Percentage of nodes that are scored. 0: depends on the number of nodes. */
  readonly percentageOfNodesToScore: number
  /** Arguments of the plugin DefaultPreemption. Omitted if pods of the profile do not preempt others. */
  readonly preemption?: PreemptionArgs
}

/** Number of nodes below which all are scored. */
const LEAST_NODES = 100
const LEAST_PERCENTAGE = 5

/**
 * Returns how many feasible nodes are enough to choose from. Source: numFeasibleNodesToFind of
 * pkg/scheduler/schedule_one.go.
 */
export function nodesToFind(nodeCount: number, percentage: number): number {
  if (nodeCount < LEAST_NODES) return nodeCount
  const chosen = percentage === 0 ? Math.max(50 - Math.trunc(nodeCount / 125), LEAST_PERCENTAGE) : percentage
  return chosen >= 100 ? nodeCount : Math.max(Math.trunc((nodeCount * chosen) / 100), LEAST_NODES)
}
