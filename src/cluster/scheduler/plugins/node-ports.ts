import { UsedPorts } from '../../shared/host-ports.ts'
import { type NodeFilter, type Plugin, SKIP, unschedulable } from '../framework.ts'

/** Rejects nodes on which a host port of the pod is in use. */
export const nodePorts: Plugin = {
  name: 'NodePorts',
  isNodeLocal: true,
  isHelpedByPod({ hostPorts }, _change, other) {
    const freed = new UsedPorts(other.hostPorts)
    return hostPorts.some(port => freed.conflictsWith(port))
  },
  preFilter({ hostPorts }) {
    if (hostPorts.length === 0) return { status: SKIP }
    const filter: NodeFilter = {
      check: ({ ports }) =>
        hostPorts.some(port => ports.conflictsWith(port))
          ? unschedulable("node(s) didn't have free ports for the requested pod ports")
          : undefined,
    }
    return { filter }
  },
}
