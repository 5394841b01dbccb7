import type { PersistentVolume, PersistentVolumeClaim, TopologySelectorTerm } from '../../api/core/v1.types.ts'
import type { CSIDriver, CSIStorageCapacity, StorageClass } from '../../api/storage/v1.types.ts'
import { matchesLabels } from '../../meta/label-selector.ts'
import { compareQuantity } from '../../meta/quantity.ts'
import { selectorOf } from '../shared/selectors.ts'
import { classOf, isReachable, matchingVolume, requestedStorage, SELECTED_NODE } from '../shared/volumes.ts'
import type { NodeInfo } from './node-info.ts'
import type { ClusterObjects } from './snapshot.ts'

/** Claims of a pod to be scheduled. */
export interface PodClaims {
  /** Claims that have a volume. */
  readonly bound: readonly PersistentVolumeClaim[]
  /** Claims that are bound when the pod has a node. */
  readonly delayed: readonly PersistentVolumeClaim[]
  /** Volumes of a class that may be bound to delayed claims. */
  readonly volumesOf: (className: string) => readonly PersistentVolume[]
}

/** A volume that exists and is chosen for a claim. */
export interface StaticBinding {
  readonly claim: PersistentVolumeClaim
  readonly volume: PersistentVolume
}

/** A claim for which a volume is provisioned. */
export interface Provision {
  readonly claim: PersistentVolumeClaim
  /** Capacity that the driver reports for the node. Undefined if the driver does not report capacities. */
  readonly capacity: CSIStorageCapacity | undefined
}

/** How the claims of a pod would be satisfied on a node. */
export interface PodVolumes {
  /** Why they cannot be satisfied. Empty if they can. */
  readonly reasons: readonly string[]
  /** Volumes to bind before the pod is. Each volume is chosen once. */
  readonly bindings: readonly StaticBinding[]
  /** Claims for which the driver is to provision a volume that the node reaches. */
  readonly provisions: readonly Provision[]
}

/** Rules that depend on the release. */
export interface PodVolumeRules {
  /** Text for a bound volume that the node does not reach. */
  readonly unreachable: string
  /** Whether a volume must have the VolumeAttributesClass of its claim. */
  readonly matchAttributes: boolean
}

/** Upstream's text if no volume fits and none can be provisioned. */
const NOT_FOUND = "node(s) didn't find available persistent volumes to bind"
/** Provisioner of classes whose volumes an administrator makes. */
const NO_PROVISIONER = 'kubernetes.io/no-provisioner'

/**
 * Finds volumes for the claims of a pod on a node. Source: FindPodVolumes of
 * pkg/scheduler/framework/plugins/volumebinding.
 */
export function findPodVolumes(
  { bound, delayed, volumesOf }: PodClaims,
  node: NodeInfo,
  objects: ClusterObjects,
  rules: PodVolumeRules,
): PodVolumes {
  const reasons = boundReasons(bound, node, objects, rules)
  const fail = (reason: string): PodVolumes => {
    // Reasons are in this order: reach, volumes to bind, room, volumes that do not exist.
    const isGone = reasons[0] === GONE
    return { reasons: isGone ? [reason, GONE] : [...reasons, reason], bindings: [], provisions: [] }
  }
  const selected = delayed.filter(({ metadata }) => metadata.annotations?.[SELECTED_NODE] !== undefined)
  if (selected.some(({ metadata }) => metadata.annotations?.[SELECTED_NODE] !== node.name)) return fail(NOT_FOUND)
  const bindings: StaticBinding[] = []
  const toProvision: PersistentVolumeClaim[] = [...selected]
  const taken = new Set<string>()
  for (const claim of delayed.filter(each => !selected.includes(each)).toSorted(bySize)) {
    const volume = matchingVolume(claim, volumesOf(classOf(claim)), { node: node.node, taken, matchAttributes: rules.matchAttributes })
    if (volume === undefined) toProvision.push(claim)
    else {
      taken.add(volume.metadata.name ?? '')
      bindings.push({ claim, volume })
    }
  }
  const provisions: Provision[] = []
  for (const claim of toProvision) {
    const provision = provisionOn(claim, node, objects)
    if (typeof provision === 'string') return fail(provision)
    provisions.push(provision)
  }
  return { reasons, bindings, provisions }
}

/** Upstream's text for claims whose volume was deleted. */
const GONE = 'node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)'

/** Returns why bound claims cannot be used on a node. Stops at the first one. */
function boundReasons(
  claims: readonly PersistentVolumeClaim[],
  node: NodeInfo,
  objects: ClusterObjects,
  { unreachable }: PodVolumeRules,
): string[] {
  for (const { spec } of claims) {
    const volume = objects.get<PersistentVolume>('PersistentVolume', '', spec.volumeName ?? '')
    if (volume === undefined) return [GONE]
    if (!isReachable(volume, node.node)) return [unreachable]
  }
  return []
}

const bySize = (a: PersistentVolumeClaim, b: PersistentVolumeClaim): number => compareQuantity(requestedStorage(a), requestedStorage(b))

/** Returns how a volume for a claim is provisioned on a node, or why that is not possible. */
function provisionOn(claim: PersistentVolumeClaim, node: NodeInfo, objects: ClusterObjects): Provision | string {
  const storageClass = objects.get<StorageClass>('StorageClass', '', classOf(claim))
  if (storageClass === undefined) throw new Error(`failed to find storage class "${classOf(claim)}"`)
  const { provisioner, allowedTopologies } = storageClass
  if (!provisioner || provisioner === NO_PROVISIONER || !isInTopology(allowedTopologies, node)) return NOT_FOUND
  const request = requestedStorage(claim)
  const driver = objects.get<CSIDriver>('CSIDriver', '', provisioner)
  if (request === undefined || driver?.spec.storageCapacity !== true) return { claim, capacity: undefined }
  const capacity = objects
    .list<CSIStorageCapacity>('CSIStorageCapacity')
    .find(each => each.storageClassName === storageClass.metadata.name && hasRoom(each, request) && isAccessible(each, node))
  return capacity ? { claim, capacity } : 'node(s) did not have enough free storage'
}

/** Reports whether a volume of this size can be provisioned. The largest volume precedes the whole capacity. */
function hasRoom({ capacity, maximumVolumeSize }: CSIStorageCapacity, request: string): boolean {
  const limit = maximumVolumeSize ?? capacity
  return limit !== undefined && compareQuantity(limit, request) >= 0
}

const isAccessible = ({ nodeTopology }: CSIStorageCapacity, { labels }: NodeInfo): boolean =>
  nodeTopology !== undefined && matchesLabels(selectorOf(nodeTopology), labels)

/** Reports whether labels of the node satisfy one of the terms. A term without expressions matches no node. */
function isInTopology(terms: readonly TopologySelectorTerm[] | undefined, { labels }: NodeInfo): boolean {
  if (!terms?.length) return true
  const isSatisfied = ({ matchLabelExpressions = [] }: TopologySelectorTerm): boolean =>
    matchLabelExpressions.length > 0 && matchLabelExpressions.every(({ key, values }) => values?.includes(labels[key] ?? '') ?? false)
  return terms.some(isSatisfied)
}
