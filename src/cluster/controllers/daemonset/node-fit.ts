import type { DaemonSet } from '../../../api/apps/v1.types.ts'
import type { Node, Pod, PodSpec } from '../../../api/core/v1.types.ts'
import { matchesRequiredAffinity } from '../../shared/node-affinity.ts'
import { isExclusive, untoleratedTaint } from '../../shared/tolerations.ts'
import { daemonTolerations } from './pod.ts'

/** Whether a node gets a daemon pod, and whether it keeps one that it has. */
export interface NodeFit {
  readonly shouldRun: boolean
  readonly shouldContinue: boolean
}

const UNFIT: NodeFit = { shouldRun: false, shouldContinue: false }

/**
 * Returns a function that reports whether a node runs the pods of a daemon set. Resources, ports and cordoning have no
 * effect.
 */
export function nodeFitOf({ spec: { template } }: Pick<DaemonSet, 'spec'>): (node: Pick<Node, 'metadata' | 'spec'>) => NodeFit {
  const spec: PodSpec = { ...template.spec, tolerations: daemonTolerations(template.spec) }
  return node => {
    if (spec.nodeName && spec.nodeName !== node.metadata.name) return UNFIT
    if (!matchesRequiredAffinity({ spec }, node)) return UNFIT
    const { taints } = node.spec
    if (untoleratedTaint(taints, spec.tolerations, isExclusive) === undefined) return { shouldRun: true, shouldContinue: true }
    return {
      shouldRun: false,
      shouldContinue: untoleratedTaint(taints, spec.tolerations, ({ effect }) => effect === 'NoExecute') === undefined,
    }
  }
}

/** Nodes of a cluster with their fit, and the pods of a daemon set by node. */
export interface Placement {
  readonly nodes: ReadonlyMap<string, NodeFit>
  /** Pods by the name of the node that they run on or are meant for. */
  readonly pods: ReadonlyMap<string, readonly Pod[]>
}
