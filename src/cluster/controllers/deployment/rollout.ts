import type { Deployment, ReplicaSet } from '../../../api/apps/v1.types.ts'
import type { IntOrString } from '../../../api/meta/object.ts'
import { scaledValue } from '../../shared/scaled-value.ts'
import { createdFirst } from './replica-sets.ts'
import { desiredReplicasOf, maxReplicasOf } from './revisions.ts'

/** A new size of a replica set. */
export interface Resize {
  readonly set: ReplicaSet
  readonly replicas: number
}

export const replicasOf = ({ spec }: ReplicaSet | Deployment): number => spec.replicas ?? 1

/** Sum of the sizes that the sets should have. */
export const totalReplicas = (sets: readonly ReplicaSet[]): number => sets.reduce((sum, set) => sum + replicasOf(set), 0)

/**
 * Number of pods that are and remain available. A set that has just been made smaller may still count those that it is
 * about to lose: upstream counts them too, and is only saved by kubelets that take longer to start a pod than it takes
 * to write a status.
 */
const totalAvailable = (sets: readonly ReplicaSet[]): number =>
  sets.reduce((sum, set) => sum + Math.min(set.status.availableReplicas ?? 0, replicasOf(set)), 0)

export const isRolling = ({ spec }: Deployment): boolean => spec.strategy.type === 'RollingUpdate'

/** Limits of a rolling update, in pods. */
export interface Fenceposts {
  readonly surge: number
  readonly unavailable: number
}

/**
 * Resolves both limits. If both are 0, one pod may be unavailable: the update could not proceed otherwise. Throws a
 * RangeError for an invalid percentage.
 */
export function fencepostsOf(maxSurge: IntOrString | undefined, maxUnavailable: IntOrString | undefined, desired: number): Fenceposts {
  const surge = scaledValue(maxSurge ?? 0, desired, 'up')
  const unavailable = scaledValue(maxUnavailable ?? 0, desired, 'down')
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable }
}

const limitsOf = (deployment: Deployment): Fenceposts => {
  const { maxSurge, maxUnavailable } = deployment.spec.strategy.rollingUpdate ?? {}
  return fencepostsOf(maxSurge, maxUnavailable, replicasOf(deployment))
}

/** Number of pods above the desired number that a rolling update may create. 0 for other strategies. */
export const maxSurge = (deployment: Deployment): number => (isRolling(deployment) ? limitsOf(deployment).surge : 0)

/** Number of desired pods that may be unavailable. 0 for other strategies than a rolling update. */
export const maxUnavailable = (deployment: Deployment): number =>
  isRolling(deployment) && replicasOf(deployment) > 0 ? Math.min(limitsOf(deployment).unavailable, replicasOf(deployment)) : 0

/** Number of pods that must stay available in a rolling update. 0 for other strategies. */
export const minAvailable = (deployment: Deployment): number =>
  isRolling(deployment) ? replicasOf(deployment) - maxUnavailable(deployment) : 0

/** Returns the size of the new set: as large as the surge allows beside the pods of all sets. */
export function newSetReplicas(deployment: Deployment, all: readonly ReplicaSet[], current: number): number {
  const desired = replicasOf(deployment)
  if (!isRolling(deployment)) return desired
  const most = desired + maxSurge(deployment)
  const total = totalReplicas(all)
  return total >= most ? current : current + Math.min(most - total, desired - current)
}

/** Returns the new size of the new set. Undefined if it keeps its size. */
export function resizeNew(deployment: Deployment, all: readonly ReplicaSet[], set: ReplicaSet): Resize | undefined {
  const current = replicasOf(set)
  const desired = replicasOf(deployment)
  if (current === desired) return undefined
  const replicas = current > desired ? desired : newSetReplicas(deployment, all, current)
  return replicas === current ? undefined : { set, replicas }
}

/**
 * Returns the new sizes of old sets that are not empty, in the order in which they are written: first sets lose pods
 * that are not available, the oldest set first, then as many available ones as are more than must stay available. A set
 * may have two sizes, one after the other.
 */
export function resizeOld(deployment: Deployment, old: readonly ReplicaSet[], newSet: ReplicaSet): Resize[] {
  const unavailableNew = replicasOf(newSet) - (newSet.status.availableReplicas ?? 0)
  const most = totalReplicas([...old, newSet]) - (replicasOf(deployment) - maxUnavailable(deployment)) - unavailableNew
  if (totalReplicas(old) === 0 || most <= 0) return []
  const dropped = dropUnavailable(old, most)
  const sizes = new Map(old.map(set => [set, replicasOf(set)]))
  for (const { set, replicas } of dropped) sizes.set(set, replicas)
  return [...dropped, ...dropAvailable(deployment, [...old, newSet], sizes)]
}

/** Removes up to `most` pods that are not available from sets, the oldest first. */
export function dropUnavailable(sets: readonly ReplicaSet[], most: number): Resize[] {
  let left = most
  return sets.toSorted(createdFirst).flatMap(set => {
    const count = Math.min(left, replicasOf(set) - (set.status.availableReplicas ?? 0))
    if (count <= 0) return []
    left -= count
    return { set, replicas: replicasOf(set) - count }
  })
}

/**
 * Removes as many pods from the sets of `sizes`, the oldest first, as are available beyond those that must stay. @param
 * all all sets of the deployment.
 */
export function dropAvailable(deployment: Deployment, all: readonly ReplicaSet[], sizes: ReadonlyMap<ReplicaSet, number>): Resize[] {
  let left = totalAvailable(all) - (replicasOf(deployment) - maxUnavailable(deployment))
  return [...sizes.keys()].toSorted(createdFirst).flatMap(set => {
    const size = sizes.get(set) ?? 0
    const count = Math.min(size, left)
    if (count <= 0) return []
    left -= count
    return { set, replicas: size - count }
  })
}

/** Whether the size of the deployment has changed since its sets were scaled last. */
export const isScaling = (deployment: Deployment, all: readonly ReplicaSet[]): boolean =>
  all.some(set => replicasOf(set) > 0 && (desiredReplicasOf(set) ?? replicasOf(deployment)) !== replicasOf(deployment))

/** Whether the new set has taken over all pods, all of which are available. */
const isSaturated = (deployment: Deployment, set: ReplicaSet | undefined): boolean =>
  set !== undefined &&
  [replicasOf(set), desiredReplicasOf(set), set.status.availableReplicas ?? 0].every(count => count === replicasOf(deployment))

/**
 * Returns new sizes of the sets after the deployment was resized, also of those that keep theirs, because their
 * annotations change. In the middle of a rolling update the pods are spread over all sets in proportion to their sizes.
 */
export function resizeAll(deployment: Deployment, newSet: ReplicaSet | undefined, old: readonly ReplicaSet[]): Resize[] {
  const desired = replicasOf(deployment)
  const active = [...old, ...(newSet ? [newSet] : [])].filter(set => replicasOf(set) > 0)
  if (active.length <= 1) {
    const set = active[0] ?? newSet ?? old.toSorted(createdFirst).at(-1)
    return set && replicasOf(set) !== desired ? [{ set, replicas: desired }] : []
  }
  if (isSaturated(deployment, newSet)) return active.filter(set => set !== newSet).map(set => ({ set, replicas: 0 }))
  return isRolling(deployment) ? resizeInProportion(deployment, active) : []
}

function resizeInProportion(deployment: Deployment, active: readonly ReplicaSet[]): Resize[] {
  const desired = replicasOf(deployment)
  const toAdd = (desired > 0 ? desired + maxSurge(deployment) : 0) - totalReplicas(active)
  const ordered = active.toSorted((a, b) => replicasOf(b) - replicasOf(a) || (toAdd > 0 ? createdFirst(b, a) : createdFirst(a, b)))
  let added = 0
  const sizes = ordered.map((set): Resize => {
    const share = proportionOf(set, deployment, toAdd, added)
    added += share
    return { set, replicas: replicasOf(set) + share }
  })
  // The remainder of rounding goes to the largest set.
  return sizes.map(({ set, replicas }, i) => ({ set, replicas: i === 0 ? Math.max(0, replicas + toAdd - added) : replicas }))
}

function proportionOf(set: ReplicaSet, deployment: Deployment, toAdd: number, added: number): number {
  if (replicasOf(set) === 0 || toAdd === added) return 0
  const share = shareOf(set, deployment)
  return toAdd > 0 ? Math.min(share, toAdd - added) : Math.max(share, toAdd - added)
}

/** Number of pods that a set gains, or loses if negative, so that it keeps its share of the deployment's pods. */
export function shareOf(set: ReplicaSet, deployment: Deployment): number {
  const desired = replicasOf(deployment)
  if (desired === 0) return -replicasOf(set)
  const before = maxReplicasOf(set) || (deployment.status.replicas ?? 0)
  // The deployment has not been processed yet.
  if (before === 0) return 0
  return Math.round((replicasOf(set) * (desired + maxSurge(deployment))) / before) - replicasOf(set)
}
