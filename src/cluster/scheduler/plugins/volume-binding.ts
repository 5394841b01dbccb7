import type { PersistentVolume, PersistentVolumeClaim, Pod } from '../../../api/core/v1.types.ts'
import type { StorageClass } from '../../../api/storage/v1.types.ts'
import type { GateName } from '../../../lifecycle/feature-gates.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'
import { quantityValue } from '../../../meta/quantity.ts'
import { capacityOf, classOf, isDelayed, isFullyBound, requestedStorage } from '../../shared/volumes.ts'
import { AssumedObjects } from '../assumed-objects.ts'
import { type AssumedVolumes, reserveVolumes } from '../bind-volumes.ts'
import { type NodeFilter, type Plugin, SKIP, unresolvable } from '../framework.ts'
import type { NodeInfo } from '../node-info.ts'
import { claimNotFound, foreignClaim, type VolumeClaim, volumeClaims } from '../pod-claims.ts'
import { findPodVolumes, type PodClaims, type PodVolumeRules, type PodVolumes } from '../pod-volumes.ts'
import { brokenLine, type ShapePoint } from '../resource-scores.ts'
import type { ClusterObjects } from '../snapshot.ts'

/** Arguments of the plugin. Source: VolumeBindingArgs of kubescheduler.config.k8s.io/v1. */
export interface VolumeBindingArgs {
  /** Optional. Default: 600. */
  readonly bindTimeoutSeconds?: number
  /** Optional. Score by utilization of the capacity. Default: the fuller, the better. */
  readonly shape?: readonly ShapePoint[]
}

const BIND_TIMEOUT_SECONDS = 600
const DEFAULT_SHAPE: readonly ShapePoint[] = [
  { utilization: 0, score: 0 },
  { utilization: 100, score: 10 },
]

/** Finds volumes for the claims of a pod, and binds or requests them when it has a node. */
export function volumeBinding(args: VolumeBindingArgs, release: Release, enabled: (gate: GateName) => boolean): Plugin {
  const assumed: AssumedVolumes = { claims: new AssumedObjects(), volumes: new AssumedObjects() }
  const rules: PodVolumeRules = {
    unreachable: isSince(release, '1.33')
      ? "node(s) didn't match PersistentVolume's node affinity"
      : 'node(s) had volume node affinity conflict',
    matchAttributes: enabled('VolumeAttributesClass'),
  }
  const isScored = enabled('StorageCapacityScoring')
  const score = capacityScorer(brokenLine(args.shape ?? DEFAULT_SHAPE))
  const timeoutMs = (args.bindTimeoutSeconds ?? BIND_TIMEOUT_SECONDS) * 1000
  return {
    name: 'VolumeBinding',
    preFilter({ pod }, { objects }) {
      const all = volumeClaims(pod, objects)
      if (all.length === 0) return { status: SKIP }
      for (const each of all) {
        const problem = problemOf(pod, each)
        if (problem !== undefined) return { status: unresolvable(problem) }
      }
      const claims = sortClaims(all, objects, assumed)
      if (claims === undefined) return { status: unresolvable('pod has unbound immediate PersistentVolumeClaims') }
      const volumesOn = volumesByNode(claims, objects, rules)
      const filter: NodeFilter = {
        check(node) {
          const { reasons } = volumesOn(node)
          return reasons.length === 0 ? undefined : unresolvable(...reasons)
        },
      }
      if (claims.delayed.length === 0) return { filter }
      return { filter, reserve: node => reserveVolumes(volumesOn(node), node, objects, assumed, timeoutMs) }
    },
    preScore({ pod }, { objects }) {
      const claims = isScored ? sortClaims(volumeClaims(pod, objects), objects, assumed) : undefined
      if (claims === undefined || claims.delayed.length === 0) return SKIP
      const volumesOn = volumesByNode(claims, objects, rules)
      return { score: node => score(usesOf(volumesOn(node))) }
    },
  }
}

/** Returns why a pod cannot be scheduled with a claim. Undefined if it can. Source: podHasPVCs. */
function problemOf(pod: Pod, { name, isEphemeral, claim }: VolumeClaim): string | undefined {
  if (claim === undefined)
    return isEphemeral ? `waiting for ephemeral volume controller to create the persistentvolumeclaim "${name}"` : claimNotFound(name)
  if (claim.status.phase === 'Lost')
    return `persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${claim.spec.volumeName ?? ''}"`
  if (claim.metadata.deletionTimestamp !== undefined) return `persistentvolumeclaim "${name}" is being deleted`
  return isEphemeral ? foreignClaim(pod, claim) : undefined
}

/** Sorts the claims of a pod by what is to be done. Undefined if the binder has to bind one of them first. */
function sortClaims(all: readonly VolumeClaim[], objects: ClusterObjects, assumed: AssumedVolumes): PodClaims | undefined {
  const claims = all.flatMap(({ claim }) => (claim ? [assumed.claims.latest(claim)] : []))
  const bound = claims.filter(isFullyBound)
  const delayed = claims.filter(claim => !isFullyBound(claim))
  const mayWait = (claim: PersistentVolumeClaim): boolean =>
    !claim.spec.volumeName && classOf(claim) !== '' && isDelayed(objects.get<StorageClass>('StorageClass', '', classOf(claim)))
  if (!delayed.every(mayWait)) return undefined
  const byClass = new Map<string, PersistentVolume[]>()
  if (delayed.length > 0) {
    for (const claim of delayed) byClass.set(classOf(claim), [])
    for (const volume of objects.list<PersistentVolume>('PersistentVolume'))
      byClass.get(classOf(volume))?.push(assumed.volumes.latest(volume))
  }
  return { bound, delayed, volumesOf: className => byClass.get(className) ?? [] }
}

/** Finds volumes once for each node. */
function volumesByNode(claims: PodClaims, objects: ClusterObjects, rules: PodVolumeRules): (node: NodeInfo) => PodVolumes {
  const known = new Map<string, PodVolumes>()
  return node => {
    const found = known.get(node.name) ?? findPodVolumes(claims, node, objects, rules)
    known.set(node.name, found)
    return found
  }
}

/** Use of the storage of one class on a node, in bytes. */
export interface StorageUse {
  readonly requested: number
  readonly capacity: number
}

/**
 * Sums what a pod requests of each class, and what there is: the volumes that are bound, or the capacity that a driver
 * reports.
 */
function usesOf({ bindings, provisions }: PodVolumes): StorageUse[] {
  const uses = new Map<string, StorageUse>()
  const bytes = (claim: PersistentVolumeClaim): number => Number(quantityValue(requestedStorage(claim)))
  for (const { claim, volume } of bindings) {
    const { requested, capacity } = uses.get(classOf(claim)) ?? { requested: 0, capacity: 0 }
    uses.set(classOf(claim), { requested: requested + bytes(claim), capacity: capacity + Number(quantityValue(capacityOf(volume))) })
  }
  if (bindings.length > 0) return [...uses.values()]
  for (const { claim, capacity } of provisions) {
    if (capacity === undefined) continue
    const before = uses.get(classOf(claim))?.requested ?? 0
    uses.set(classOf(claim), { requested: before + bytes(claim), capacity: Number(quantityValue(capacity.capacity)) })
  }
  return [...uses.values()]
}

/**
 * Returns a function that scores the use of classes: the mean of their scores, rounded. Source: buildScorerFunction.
 */
export const capacityScorer =
  (line: (utilization: number) => number) =>
  (uses: readonly StorageUse[]): number => {
    if (uses.length === 0) return 0
    const percent = ({ requested, capacity }: StorageUse): number =>
      capacity === 0 || requested > capacity ? 100 : Math.trunc((requested * 100) / capacity)
    return Math.round(uses.reduce((sum, use) => sum + line(percent(use)), 0) / uses.length)
  }
