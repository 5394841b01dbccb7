import { isSince, type Release } from '../../../lifecycle/release.ts'
import { type Insufficient, lackingResources } from '../../shared/node-room.ts'
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
      const reasons = lacking.map(({ resourceName }) => (resourceName === 'pods' ? 'Too many pods' : `Insufficient ${resourceName}`))
      // More than the whole node has cannot be freed by deleting pods.
      const isHopeless =
        isSince(release, '1.34') && lacking.some(({ resourceName, requested, capacity }) => resourceName !== 'pods' && requested > capacity)
      return isHopeless ? unresolvable(...reasons) : unschedulable(...reasons)
    },
  }
}

/** Returns the resources that a node lacks for a pod, without those that do not decide. */
const insufficientResources = ({ requests }: PodInfo, { pods, requested, allocatable }: NodeInfo, args: FitArgs): Insufficient[] =>
  lackingResources(requests, { pods: pods.length, used: requested, allocatable }, name => !isIgnored(name, args))

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
