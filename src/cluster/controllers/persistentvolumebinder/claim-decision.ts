import type { PersistentVolume, PersistentVolumeClaim, Pod } from '../../../api/core/v1.types.ts'
import type { StorageClass } from '../../../api/storage/v1.types.ts'
import { objectKey } from '../../../clients/api-client.ts'
import { quote } from '../../../lib/go-quote.ts'
import { compareQuantity } from '../../../meta/quantity.ts'
import { isPodActive } from '../../shared/pods.ts'
import {
  BIND_COMPLETED,
  BOUND_BY_CONTROLLER,
  capacityOf,
  claimKeyOf,
  classOf,
  hasAccessModes,
  hasAnnotation,
  hasOtherMode,
  isDelayed,
  matchingVolume,
  namedClass,
  refersTo,
  requestedStorage,
  SELECTED_NODE,
} from '../../shared/volumes.ts'

/** An event about a claim or a volume. */
export interface BinderEvent {
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
}

/** Next step for a claim. */
export type ClaimDecision =
  | { readonly action: 'bind'; readonly volume: PersistentVolume }
  /** The claim stays Pending. */
  | { readonly action: 'wait'; readonly event?: BinderEvent }
  | { readonly action: 'assign class'; readonly name: string }
  | { readonly action: 'provision' }
  /** The volume of a bound claim is gone. */
  | { readonly action: 'lose'; readonly event: BinderEvent }
  /** The state is inconsistent, and is looked at again after the back-off. */
  | { readonly action: 'retry'; readonly event: BinderEvent; readonly error: string }

/** Objects on which the decision about a claim depends. */
export interface ClaimSurroundings {
  /** Volume that the claim names. Undefined if it names none, or if the volume does not exist. */
  readonly named: PersistentVolume | undefined
  /** Volumes that may match. */
  readonly candidates: readonly PersistentVolume[]
  readonly storageClass: StorageClass | undefined
  /** Class of claims that name none. Undefined if there is none, or if the release does not assign it later. */
  readonly defaultClass: StorageClass | undefined
  /** Pods with this claim. */
  readonly pods: readonly Pod[]
  /** Whether classes of attributes must be equal. */
  readonly matchAttributes: boolean
}

const normal = (reason: string, message: string): BinderEvent => ({ type: 'Normal', reason, message })
const warning = (reason: string, message: string): BinderEvent => ({ type: 'Warning', reason, message })

/** Decides about a claim. Source: syncClaim of pkg/controller/volume/persistentvolume. */
export function decideClaim(claim: PersistentVolumeClaim, around: ClaimSurroundings): ClaimDecision {
  if (hasAnnotation(claim, BIND_COMPLETED)) return decideBound(claim, around.named)
  return claim.spec.volumeName ? decideNamed(claim, around.named) : decideUnbound(claim, around)
}

/** A claim that leaves the choice of the volume to the binder. */
function decideUnbound(claim: PersistentVolumeClaim, around: ClaimSurroundings): ClaimDecision {
  const delayed = classOf(claim) !== '' && isDelayed(around.storageClass)
  const volume = bestVolume(claim, around.candidates, { matchAttributes: around.matchAttributes, isDelayed: delayed })
  if (volume) return { action: 'bind', volume }
  if (namedClass(claim) === undefined && around.defaultClass)
    return { action: 'assign class', name: around.defaultClass.metadata.name ?? '' }
  if (delayed && !hasAnnotation(claim, SELECTED_NODE)) return { action: 'wait', event: consumerEvent(around.pods) }
  if (classOf(claim) !== '') return { action: 'provision' }
  return { action: 'wait', event: normal('FailedBinding', 'no persistent volumes available for this claim and no storage class is set') }
}

function consumerEvent(pods: readonly Pod[]): BinderEvent {
  const names = pods.filter(pod => !pod.spec.nodeName && isPodActive(pod)).map(objectKey)
  if (names.length === 0) return normal('WaitForFirstConsumer', 'waiting for first consumer to be created before binding')
  const short = names.map(key => key.slice(key.indexOf('/') + 1))
  return normal('WaitForPodScheduled', `waiting for pod${short.length > 1 ? 's' : ''} ${short.join(',')} to be scheduled`)
}

/** A claim whose user has chosen the volume. */
function decideNamed(claim: PersistentVolumeClaim, volume: PersistentVolume | undefined): ClaimDecision {
  if (volume === undefined) return { action: 'wait' }
  const name = quote(volume.metadata.name ?? '')
  if (volume.spec.claimRef === undefined) {
    const problem = mismatchOf(claim, volume)
    return problem === undefined
      ? { action: 'bind', volume }
      : { action: 'wait', event: warning('VolumeMismatch', `Cannot bind to requested volume ${name}: ${problem}`) }
  }
  if (refersTo(volume, claim)) return { action: 'bind', volume }
  const event = warning('FailedBinding', `volume ${name} already bound to a different claim.`)
  if (!hasAnnotation(claim, BOUND_BY_CONTROLLER)) return { action: 'wait', event }
  const error = `invalid binding of claim ${quote(objectKey(claim))} to volume ${name}: volume already claimed by ${quote(claimKeyOf(volume) ?? '')}`
  return { action: 'retry', event, error }
}

/**
 * Returns why a volume that a claim names does not satisfy it. Undefined if it does. Source: checkVolumeSatisfyClaim.
 */
export function mismatchOf(claim: PersistentVolumeClaim, volume: PersistentVolume): string | undefined {
  if (volume.metadata.deletionTimestamp !== undefined) return `the volume is marked for deletion ${quote(volume.metadata.name ?? '')}`
  if (compareQuantity(capacityOf(volume), requestedStorage(claim)) < 0) return 'requested PV is too small'
  if (classOf(volume) !== classOf(claim)) return 'storageClassName does not match'
  if (hasOtherMode(claim, volume)) return 'incompatible volumeMode'
  return hasAccessModes(claim, volume) ? undefined : 'incompatible accessMode'
}

/** A claim that was bound before. */
function decideBound(claim: PersistentVolumeClaim, volume: PersistentVolume | undefined): ClaimDecision {
  const lose = (reason: string, message: string): ClaimDecision => ({ action: 'lose', event: warning(reason, message) })
  if (!claim.spec.volumeName) return lose('ClaimLost', 'Bound claim has lost reference to PersistentVolume. Data on the volume is lost!')
  if (volume === undefined) return lose('ClaimLost', 'Bound claim has lost its PersistentVolume. Data on the volume is lost!')
  const { claimRef } = volume.spec
  if (claimRef === undefined || claimRef.uid === claim.metadata.uid) return { action: 'bind', volume }
  return lose('ClaimMisbound', 'Two claims are bound to the same volume, this one is bound incorrectly')
}

/**
 * Returns the best volume of those that have the claim's access modes: one that has few others, then the smallest. A
 * volume that refers to the claim is preferred to those with the same access modes. Source: findByClaim of
 * pkg/controller/volume/persistentvolume.
 */
export function bestVolume(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
  search: { readonly matchAttributes: boolean; readonly isDelayed: boolean },
): PersistentVolume | undefined {
  const groups = new Map<string, PersistentVolume[]>()
  for (const volume of volumes) {
    if (!hasAccessModes(claim, volume)) continue
    const modes = [...new Set(volume.spec.accessModes)].toSorted().join(',')
    groups.set(modes, [...(groups.get(modes) ?? []), volume])
  }
  const count = (modes: string): number => modes.split(',').length
  for (const [, group] of [...groups].toSorted(([a], [b]) => count(a) - count(b))) {
    const found = matchingVolume(claim, group, search)
    if (found) return found
  }
  return undefined
}
