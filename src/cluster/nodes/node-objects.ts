import type { Node } from '../../api/core/v1.types.ts'
import type { NodePool } from '../shared/node-pool.ts'
import { FEATURES, STOPPED } from './annotations.ts'
import { nextConditions } from './node-conditions.ts'

/** Label of the nodes that this program simulates. Pods of other nodes are left to their kubelets. */
export const SIMULATED = 'binnacle.dev/simulated'
/** Annotation of the nodes that kwok manages by default. Karpenter's kwok provider creates such nodes. */
const KWOK_NODE = 'kwok.x-k8s.io/node'

export const DEFAULT_RESOURCES: Readonly<Record<string, string>> = { cpu: '8', memory: '32Gi', pods: '110', 'ephemeral-storage': '100Gi' }

/** Returns a pool of nodes without taints and zones. */
export const plainPool = (count: number): NodePool => ({
  namePrefix: 'node-',
  count,
  labels: {},
  annotations: {},
  taints: [],
  capacity: DEFAULT_RESOURCES,
  allocatable: DEFAULT_RESOURCES,
  zones: [],
  region: '',
  os: 'linux',
  architecture: 'amd64',
})

/**
 * Returns the features that a node declares, sorted: those that its annotation names, or all. @param all features of
 * simulated kubelets
 */
export function featuresOfNode({ annotations }: Pick<Node['metadata'], 'annotations'>, all: readonly string[]): readonly string[] {
  const named = annotations?.[FEATURES]?.split(',').map(each => each.trim())
  return named ? all.filter(name => named.includes(name)) : all
}

/** Facts about a node that its pool does not have. */
export interface NodeFacts {
  /** Number of the node among those of all pools, from 1 on. It determines the address. */
  readonly number: number
  /** Version of the kubelet: `v1.33.0`. */
  readonly version: string
  /** Features of simulated kubelets. */
  readonly features: readonly string[]
  /** Milliseconds since the epoch. */
  readonly now: number
}

/**
 * Returns a node of a pool with its status, as a kubelet registers it. @param index number of the node in its pool,
 * from 1 on
 */
export function nodeOfPool(pool: NodePool, index: number, { number, version, features, now }: NodeFacts): Node {
  const name = nodeName(pool, index)
  const { zones, region, os, architecture } = pool
  const zone = zones[(index - 1) % Math.max(1, zones.length)]
  const declaredFeatures = featuresOfNode(pool, features)
  const annotations = { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true', ...pool.annotations }
  return {
    kind: 'Node',
    apiVersion: 'v1',
    metadata: {
      name,
      labels: {
        [SIMULATED]: 'true',
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': os,
        'kubernetes.io/arch': architecture,
        'beta.kubernetes.io/os': os,
        'beta.kubernetes.io/arch': architecture,
        ...(region !== '' && { 'topology.kubernetes.io/region': region }),
        ...(zone !== undefined && { 'topology.kubernetes.io/zone': zone }),
        ...pool.labels,
      },
      annotations,
    },
    spec: pool.taints.length === 0 ? {} : { taints: pool.taints.map(taint => ({ ...taint })) },
    status: {
      capacity: { ...pool.capacity },
      allocatable: { ...pool.allocatable },
      conditions: nextConditions({ annotations }, [], now),
      addresses: nodeAddresses(name, number),
      daemonEndpoints: { kubeletEndpoint: { Port: 0 } },
      nodeInfo: nodeInfo(version, os, architecture),
      ...(declaredFeatures.length > 0 && { declaredFeatures: [...declaredFeatures] }),
    },
  }
}

export const nodeName = ({ namePrefix }: NodePool, index: number): string => `${namePrefix}${index}`

export const nodeAddresses = (name: string, number: number): { type: string; address: string }[] => [
  { type: 'InternalIP', address: nodeAddress(number) },
  { type: 'Hostname', address: name },
]

export const nodeInfo = (version: string, operatingSystem: string, architecture: string): Node['status']['nodeInfo'] => ({
  machineID: '',
  systemUUID: '',
  bootID: '',
  kernelVersion: '',
  osImage: 'simulated',
  containerRuntimeVersion: 'simulated://1',
  kubeletVersion: version,
  kubeProxyVersion: '',
  operatingSystem,
  architecture,
})

/**
 * Returns the address of the simulated node of a number: 10.128.0.1 to 10.191.255.255. Every number below 4 million has
 * one of its own.
 */
export const nodeAddress = (number: number): string => `10.${128 + ((number >> 16) & 63)}.${(number >> 8) & 255}.${number & 255}`

/** Reports whether this program simulates a node. */
export const isSimulated = ({ metadata }: Pick<Node, 'metadata'>): boolean =>
  metadata.labels?.[SIMULATED] === 'true' || metadata.annotations?.[KWOK_NODE] === 'fake'

/** Reports whether a simulated node is switched off. */
export const isStopped = ({ metadata }: Pick<Node, 'metadata'>): boolean => metadata.annotations?.[STOPPED] === 'true'
