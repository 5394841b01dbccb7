import type { Node, NodeSelector } from '../../../api/core/v1.types.ts'
import type { ResourceSlice } from '../../../api/resource/v1beta2.types.ts'
import { compareText } from '../../../lib/compare-text.ts'
import { matchesNodeSelector } from '../../shared/node-affinity.ts'
import { type OfferedDevice, offeredDevices } from './offered-devices.ts'

/** Devices of a driver that one node can reach. */
export interface DevicePool {
  /** Text `DRIVER/POOL`. */
  readonly id: string
  readonly name: string
  /** Devices that the node can reach, in the order of the slices. */
  readonly devices: readonly OfferedDevice[]
  /** All slices of the pool's generation, those of other nodes too. */
  readonly slices: readonly ResourceSlice[]
  /** Whether slices of the pool are missing, because its driver is replacing them. */
  readonly isIncomplete: boolean
  /** Why no device of the pool may be allocated. Undefined if the pool is valid. */
  readonly invalidReason?: string
}

/** How pools are gathered. */
export interface PoolRules {
  /**
   * Whether a pool is complete if slices of other nodes complete it, as from 1.35 on. Before, only slices of the node
   * count.
   */
  readonly countsOtherNodes: boolean
  /**
   * Whether each device may select nodes by itself, and slices may have counters. Other releases ignore such slices.
   */
  readonly partitionable: boolean
  /** Whether pools are tried in the order of their names, and slices too, as from 1.36 on. */
  readonly sortsPools: boolean
}

/** Slices by the nodes that they are for. */
interface SliceIndex {
  readonly byNode: ReadonlyMap<string, readonly ResourceSlice[]>
  /** Slices that are not for one named node. */
  readonly others: readonly ResourceSlice[]
  readonly byPool: ReadonlyMap<string, readonly ResourceSlice[]>
}

const poolId = ({ spec }: ResourceSlice): string => `${spec.driver}/${spec.pool.name}`

/** Whether a slice has counters for the devices of other slices, which each node reads. */
const hasCountersOnly = (slice: ResourceSlice): boolean => hasSharedCounters(slice) && offeredDevices(slice).length === 0

const hasSharedCounters = ({ spec }: ResourceSlice): boolean => (spec.sharedCounters?.length ?? 0) > 0

function indexSlices(slices: readonly ResourceSlice[], { partitionable }: PoolRules): SliceIndex {
  const byNode = new Map<string, ResourceSlice[]>()
  const byPool = new Map<string, ResourceSlice[]>()
  const others: ResourceSlice[] = []
  const add = (map: Map<string, ResourceSlice[]>, key: string, slice: ResourceSlice): void => {
    const list = map.get(key)
    if (list) list.push(slice)
    else map.set(key, [slice])
  }
  for (const slice of slices) {
    const { nodeName, perDeviceNodeSelection } = slice.spec
    if (!partitionable && (perDeviceNodeSelection !== undefined || hasSharedCounters(slice))) continue
    add(byPool, poolId(slice), slice)
    if (nodeName && !hasCountersOnly(slice)) add(byNode, nodeName, slice)
    else others.push(slice)
  }
  return { byNode, others, byPool }
}

/** Members of a slice or device that select nodes. */
interface NodeChoice {
  readonly nodeName?: string
  readonly allNodes?: boolean
  readonly nodeSelector?: NodeSelector
}

function isChosen({ nodeName, allNodes, nodeSelector }: NodeChoice, node: Node): boolean {
  if (nodeName) return nodeName === node.metadata.name
  return allNodes || (nodeSelector !== undefined && matchesNodeSelector(nodeSelector, node))
}

/** Reports whether a node can reach a device of a slice that it can reach. */
const isReached = ({ device, slice }: OfferedDevice, node: Node): boolean => !slice.spec.perDeviceNodeSelection || isChosen(device, node)

function isForNode(slice: ResourceSlice, node: Node, { countsOtherNodes }: PoolRules): boolean {
  if (countsOtherNodes && hasCountersOnly(slice)) return true
  if (!slice.spec.perDeviceNodeSelection) return isChosen(slice.spec, node)
  return offeredDevices(slice).some(({ device }) => isChosen(device, node))
}

/** Indexes of lists of slices, which must not change. */
const [indexes, partitionableIndexes] = [
  new WeakMap<readonly ResourceSlice[], SliceIndex>(),
  new WeakMap<readonly ResourceSlice[], SliceIndex>(),
]

/**
 * Returns a function that gathers the pools of a node. Source: GatherPools of
 * k8s.io/dynamic-resource-allocation/structured.
 */
export function poolsByNode(slices: readonly ResourceSlice[], rules: PoolRules): (node: Node) => DevicePool[] {
  const known = rules.partitionable ? partitionableIndexes : indexes
  const index = known.get(slices) ?? indexSlices(slices, rules)
  known.set(slices, index)
  return node => {
    const reached = new Map<string, ResourceSlice[]>()
    const named = index.byNode.get(node.metadata.name ?? '') ?? []
    for (const slice of [...named, ...index.others.filter(each => isForNode(each, node, rules))]) {
      const id = poolId(slice)
      const list = reached.get(id)
      const [generation, current] = [Number(slice.spec.pool.generation), Number(list?.[0]?.spec.pool.generation ?? -1)]
      if (list && generation === current) list.push(slice)
      else if (generation > current) reached.set(id, [slice])
    }
    const pools = [...reached].flatMap(([id, own]) => poolOf(id, own, index.byPool.get(id) ?? [], node, rules) ?? [])
    return inOrder(pools, rules)
  }
}

/** Pools with devices that the pod has to wait for come last. */
function inOrder(pools: readonly DevicePool[], { sortsPools }: PoolRules): DevicePool[] {
  const sorted = sortsPools
    ? pools.toSorted((a, b) => compareText(a.slices[0]?.spec.driver ?? '', b.slices[0]?.spec.driver ?? '') || compareText(a.name, b.name))
    : pools
  const isLate = ({ devices }: DevicePool): boolean => devices.some(({ device }) => device.bindingConditions !== undefined)
  return [...sorted.filter(pool => !isLate(pool)), ...sorted.filter(isLate)]
}

/**
 * Returns a pool. Undefined if the node's slices are outdated. @param own slices that the node can reach, of one
 * generation
 */
function poolOf(
  id: string,
  own: readonly ResourceSlice[],
  all: readonly ResourceSlice[],
  node: Node,
  { countsOtherNodes, sortsPools }: PoolRules,
): DevicePool | undefined {
  const { name, generation, resourceSliceCount } = own[0]?.spec.pool ?? { name: '', generation: 0, resourceSliceCount: 0 }
  const slices = all.filter(({ spec }) => spec.pool.generation === generation)
  let isComplete = own.length === Number(resourceSliceCount)
  if (!isComplete && countsOtherNodes) {
    if (all.some(({ spec }) => Number(spec.pool.generation) > Number(generation))) return undefined
    isComplete = slices.length === Number(resourceSliceCount)
  }
  const ordered = sortsPools ? own.toSorted((a, b) => compareText(a.metadata.name ?? '', b.metadata.name ?? '')) : own
  const offered = ordered.flatMap(offeredDevices)
  const seen = new Set<string>()
  const repeated = offered.find(({ id: device }) => seen.size === seen.add(device).size)
  return {
    id,
    name,
    devices: offered.filter(device => isReached(device, node)),
    slices,
    isIncomplete: !isComplete,
    ...(repeated && { invalidReason: `duplicate device name ${repeated.device.name}` }),
  }
}
