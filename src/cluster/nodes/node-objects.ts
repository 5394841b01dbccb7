import type { Node } from '../../api/core/v1.types.ts'
import { isNodeReady, NOT_READY_TAINT } from '../shared/nodes.ts'

/** Label of the nodes that this program simulates. Pods of other nodes are left to their kubelets. */
export const SIMULATED = 'binnacle.dev/simulated'

const RESOURCES = { cpu: '8', memory: '32Gi', pods: '110', 'ephemeral-storage': '100Gi' }

/** Returns the simulated node of a number, from 1 on, as a kubelet registers it. @param version of the kubelet: `v1.33.0` */
export function simulatedNode(number: number, version: string): Node {
  const name = `node-${number}`
  return {
    kind: 'Node',
    apiVersion: 'v1',
    metadata: { name, labels: { [SIMULATED]: 'true', 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64' } },
    spec: {},
    status: {
      capacity: RESOURCES,
      allocatable: RESOURCES,
      addresses: [
        { type: 'InternalIP', address: nodeAddress(number) },
        { type: 'Hostname', address: name },
      ],
      daemonEndpoints: { kubeletEndpoint: { Port: 0 } },
      nodeInfo: {
        machineID: '',
        systemUUID: '',
        bootID: '',
        kernelVersion: '',
        osImage: 'simulated',
        containerRuntimeVersion: 'simulated://1',
        kubeletVersion: version,
        kubeProxyVersion: '',
        operatingSystem: 'linux',
        architecture: 'amd64',
      },
    },
  }
}

/** Returns the address of the simulated node of a number. Every number below 16 million has one of its own. */
export const nodeAddress = (number: number): string => `10.${128 + ((number >> 16) & 127)}.${(number >> 8) & 255}.${number & 255}`

/** Reports whether this program simulates a node. */
export const isSimulated = ({ metadata }: Pick<Node, 'metadata'>): boolean => metadata.labels?.[SIMULATED] === 'true'

/** Returns the node without the taint of admission if it is ready. Undefined if there is nothing to change. */
export function withoutNotReady(node: Node): Node | undefined {
  const taints = node.spec.taints?.filter(({ key }) => key !== NOT_READY_TAINT) ?? []
  if (!isNodeReady(node) || taints.length === (node.spec.taints?.length ?? 0)) return undefined
  return { ...node, spec: { ...node.spec, taints } }
}
