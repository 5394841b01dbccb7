import type { NodeInfo } from './node-info.ts'
import type { PodInfo } from './pod-info.ts'

/** Returns why a pod does not suit a node. Undefined if it does. */
type SuitabilityCheck = (pod: PodInfo, node: NodeInfo) => object | undefined

/**
 * Returns the hint of a plugin that regards the node alone: a pod is helped if the node suits it now, and did not
 * before.
 */
export const helpsIfSuitable =
  (check: SuitabilityCheck): ((pod: PodInfo, node: NodeInfo, old: NodeInfo | undefined) => boolean) =>
  (pod, node, old) =>
    check(pod, node) === undefined && (old === undefined || check(pod, old) !== undefined)
