import type { Node } from '../../api/core/v1.types.ts'

/** Label with the zone of a node. */
export const ZONE = 'topology.kubernetes.io/zone'

/** Taint of a node that is not ready. Admission adds it to new nodes, too. */
export const NOT_READY_TAINT = 'node.kubernetes.io/not-ready'

export const isNodeReady = ({ status }: Node): boolean =>
  status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false

/** Namespace of the leases that kubelets renew. */
export const NODE_LEASE_NAMESPACE = 'kube-node-lease'

const OUT_OF_SERVICE = 'node.kubernetes.io/out-of-service'

/** Whether a node was declared to be out of service. */
export const hasOutOfServiceTaint = ({ spec }: Node): boolean => (spec.taints ?? []).some(({ key }) => key === OUT_OF_SERVICE)

/** Whether a node is not ready and was declared to be out of service. */
export const isOutOfService = (node: Node): boolean => hasOutOfServiceTaint(node) && !isNodeReady(node)
