import type { PersistentVolume, PersistentVolumeClaim, Pod } from '../../../api/core/v1.types.ts'
import { objectKey } from '../../../clients/api-client.ts'
import { quote } from '../../../lib/go-quote.ts'
import { isPodStopped } from '../../shared/pods.ts'
import { hasAnnotation, hasOtherMode, PROVISIONED_BY } from '../../shared/volumes.ts'

/** Next step for a volume. */
export type VolumeDecision =
  | { readonly action: 'set phase'; readonly phase: 'Available' | 'Bound' }
  /** The claim is gone, or has another volume: the reclaim policy is carried out. */
  | { readonly action: 'release' }
  /** The volume refers to a claim that has another volume: the reference is taken back. */
  | { readonly action: 'unbind' }
  /** The claim does not refer to the volume yet. */
  | { readonly action: 'look at claim' }
  /** The volume can never be bound to its claim. */
  | { readonly action: 'mismatch' }

/**
 * Decides about a volume. Source: syncVolume of pkg/controller/volume/persistentvolume.
 * @param claim claim that the volume refers to, with its uid. Undefined if it does not exist.
 */
export function decideVolume(volume: PersistentVolume, claim: PersistentVolumeClaim | undefined): VolumeDecision {
  const { claimRef, persistentVolumeReclaimPolicy } = volume.spec
  if (!claimRef?.uid) return { action: 'set phase', phase: 'Available' }
  if (claim === undefined) return { action: 'release' }
  if (!claim.spec.volumeName) return { action: hasOtherMode(claim, volume) ? 'mismatch' : 'look at claim' }
  if (claim.spec.volumeName === volume.metadata.name) return { action: 'set phase', phase: 'Bound' }
  return { action: hasAnnotation(volume, PROVISIONED_BY) && persistentVolumeReclaimPolicy === 'Delete' ? 'release' : 'unbind' }
}

/** Next step for a released volume. */
export type ReclaimDecision =
  | { readonly action: 'keep' }
  | { readonly action: 'recycle' }
  | { readonly action: 'delete' }
  | { readonly action: 'fail'; readonly reason: string; readonly message: string }

/** Prefix of the plugins of kube-controller-manager. */
export const PLUGIN_PREFIX = 'kubernetes.io/'
const HOST_PATH = 'kubernetes.io/host-path'
/** Paths that the deleter of host paths accepts. */
const TEMPORARY = '/tmp/'

/**
 * Decides what is done with a released volume. Volumes of an external provisioner are left to it, and so are those of a
 * plugin that a CSI driver has replaced.
 * @param leavesCsi whether a CSI volume without a provisioner is left alone, as gate HonorPVReclaimPolicy says.
 * Otherwise it has no deleter.
 */
export function decideReclaim({ metadata, spec }: PersistentVolume, leavesCsi: boolean): ReclaimDecision {
  const name = quote(metadata.name ?? '')
  if (metadata.annotations?.[MIGRATED_TO]) return { action: 'keep' }
  switch (spec.persistentVolumeReclaimPolicy) {
    case 'Retain':
      return { action: 'keep' }
    case 'Recycle':
      if (spec.hostPath ?? spec.nfs) return { action: 'recycle' }
      return { action: 'fail', reason: 'VolumeFailedRecycle', message: 'No recycler plugin found for the volume!' }
    case 'Delete': {
      const provisioner = metadata.annotations?.[PROVISIONED_BY] ?? ''
      if (provisioner !== '' && provisioner !== HOST_PATH)
        return provisioner.startsWith(PLUGIN_PREFIX)
          ? { action: 'fail', reason: 'VolumeFailedDelete', message: `no volume plugin matched name: ${provisioner}` }
          : { action: 'keep' }
      if (leavesCsi && spec.csi) return { action: 'keep' }
      if (spec.hostPath === undefined)
        return {
          action: 'fail',
          reason: 'VolumeFailedDelete',
          message: `error getting deleter volume plugin for volume ${name}: no deletable volume plugin matched`,
        }
      const { path } = spec.hostPath
      if (path.startsWith(TEMPORARY) && path.length > TEMPORARY.length) return { action: 'delete' }
      return {
        action: 'fail',
        reason: 'VolumeFailedDelete',
        message: `host_path deleter only supports /tmp/.+ but received provided ${path}`,
      }
    }
    default:
      return { action: 'fail', reason: 'VolumeUnknownReclaimPolicy', message: 'Volume has unrecognized PersistentVolumeReclaimPolicy' }
  }
}

/** Returns the names of the pods that may still write to their volumes, in order. Source: isVolumeUsed. */
export const podsInUse = (pods: readonly Pod[]): string[] =>
  pods
    .filter(pod => !isPodStopped(pod))
    .map(objectKey)
    .toSorted()

/** Annotation of a volume whose plugin was replaced by a CSI driver, with the driver's name. */
export const MIGRATED_TO = 'pv.kubernetes.io/migrated-to'
