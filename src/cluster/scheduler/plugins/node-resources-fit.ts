import { isSince, type Release } from '../../../lifecycle/release.ts'
import { classesOfResources, mayBeDevices } from '../devices/extended-resources.ts'
import { type NodeFilter, type NodeScorer, type Plugin, unresolvable, unschedulable } from '../framework.ts'
import type { NodeInfo } from '../node-info.ts'
import type { PodInfo } from '../pod-info.ts'
import {
  brokenLine,
  CPU_AND_MEMORY,
  leastAllocated,
  mostAllocated,
  requestedToCapacity,
  resourceUses,
  type ShapePoint,
  type WeightedResource,
  weightedMean,
} from '../resource-scores.ts'

/** Arguments of the plugin. Source: NodeResourcesFitArgs of kubescheduler.config.k8s.io/v1. */
export interface FitArgs {
  /** Extended resources that do not decide. */
  readonly ignoredResources?: readonly string[]
  /** Prefixes of extended resources that do not decide: `example.com` for `example.com/foo`. */
  readonly ignoredResourceGroups?: readonly string[]
  readonly scoringStrategy?: {
    readonly type?: 'LeastAllocated' | 'MostAllocated' | 'RequestedToCapacityRatio'
    readonly resources?: readonly WeightedResource[]
    readonly requestedToCapacityRatio?: { readonly shape?: readonly ShapePoint[] }
  }
}

/** A resource that a node lacks. ResourceAmounts are in the units of `ResourceAmounts`. */
export interface Insufficient {
  readonly resourceName: string
  readonly reason: string
  readonly requested: number
  readonly used: number
  readonly capacity: number
}

/**
 * Rejects nodes without room for the pod's requests, and scores the room that is left. @param hasDevices whether
 * devices may provide extended resources. Gate DRAExtendedResource
 */
export const nodeResourcesFit = (args: FitArgs, release: Release, hasDevices: boolean): Plugin => ({
  name: 'NodeResourcesFit',
  isNodeLocal: true,
  // A node that has grown may help although the pod would have fitted an empty one before.
  isHelpedByNode: (pod, node, _old, objects) =>
    fitFilter(pod, args, release, hasDevices ? classesOfResources(pod.requests, objects) : undefined).check(node) === undefined,
  preFilter: (pod, { objects }) => ({
    // The classes of devices are no part of a node.
    isNodeLocal: !hasDevices || ![...pod.requests.keys()].some(mayBeDevices),
    filter: fitFilter(pod, args, release, hasDevices ? classesOfResources(pod.requests, objects) : undefined),
  }),
  preScore: pod => scorer(pod, args),
})

/** @param classes classes of devices by the extended resource that they provide on nodes without it */
function fitFilter(pod: PodInfo, args: FitArgs, release: Release, classes: ReadonlyMap<string, string> | undefined): NodeFilter {
  const isLeftToDevices = ({ resourceName, capacity }: Insufficient): boolean => capacity === 0 && (classes?.has(resourceName) ?? false)
  return {
    check(node) {
      const lacking = insufficientResources(pod, node, args).filter(each => !isLeftToDevices(each))
      if (lacking.length === 0) return undefined
      const reasons = lacking.map(({ reason }) => reason)
      // More than the whole node has cannot be freed by deleting pods.
      const isHopeless =
        isSince(release, '1.34') && lacking.some(({ resourceName, requested, capacity }) => resourceName !== 'pods' && requested > capacity)
      return isHopeless ? unresolvable(...reasons) : unschedulable(...reasons)
    },
  }
}

/** Resources that a node's allocatable amounts name first. */
const FIRST: readonly string[] = ['cpu', 'memory', 'ephemeral-storage']

/** Returns the resources that a node lacks for a pod: pods, cpu, memory, ephemeral storage, then others by name. */
export function insufficientResources({ requests }: PodInfo, node: NodeInfo, args: FitArgs): Insufficient[] {
  const lacking: Insufficient[] = []
  const most = node.allocatable.get('pods') ?? 0
  if (node.pods.length + 1 > most)
    lacking.push({ resourceName: 'pods', reason: 'Too many pods', requested: 1, used: node.pods.length, capacity: most })
  const others = [...requests.keys()].filter(name => name !== 'pods' && !FIRST.includes(name)).sort()
  for (const name of [...FIRST, ...others]) {
    const requested = requests.get(name) ?? 0
    if (requested === 0 || isIgnored(name, args)) continue
    const used = node.requested.get(name) ?? 0
    const capacity = node.allocatable.get(name) ?? 0
    if (requested > capacity - used) lacking.push({ resourceName: name, reason: `Insufficient ${name}`, requested, used, capacity })
  }
  return lacking
}

/**
 * Reports whether an extended resource does not decide. Resources without a domain, and those of kubernetes.io, always
 * do.
 */
function isIgnored(name: string, { ignoredResources, ignoredResourceGroups }: FitArgs): boolean {
  const [group = '', rest] = name.split('/')
  if (rest === undefined || group === 'kubernetes.io' || group.endsWith('.kubernetes.io')) return false
  return (ignoredResources?.includes(name) ?? false) || (ignoredResourceGroups?.includes(group) ?? false)
}

function scorer(pod: PodInfo, { scoringStrategy: strategy = {} }: FitArgs): NodeScorer {
  const { type = 'LeastAllocated', resources = CPU_AND_MEMORY } = strategy
  const uses = (node: NodeInfo) => resourceUses(resources, pod, node, true)
  if (type === 'RequestedToCapacityRatio') {
    const line = brokenLine(strategy.requestedToCapacityRatio?.shape ?? [])
    return { score: node => requestedToCapacity(uses(node), line) }
  }
  const each = type === 'MostAllocated' ? mostAllocated : leastAllocated
  return { score: node => weightedMean(uses(node), each) }
}
