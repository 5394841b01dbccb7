import { createHash } from 'node:crypto'
import type { PersistentVolume, PersistentVolumeClaim, Pod } from '../../../api/core/v1.types.ts'
import type { CSIDriver, VolumeAttachment } from '../../../api/storage/v1.types.ts'
import { claimNameOf } from '../../shared/pod-claims.ts'
import { isPodStopped } from '../../shared/pods.ts'

/** Annotation of a node whose volumes this controller attaches. */
const MANAGED = 'volumes.kubernetes.io/controller-managed-attach-detach'
/** Annotation of a node whose volumes stay attached while pods that have stopped exist. */
const KEEPS_TERMINATED = 'volumes.kubernetes.io/keep-terminated-pod-volumes'

/** Whether the controller attaches volumes to a node, instead of its kubelet. */
export const isManaged = ({ metadata }: Pick<Pod, 'metadata'>): boolean => metadata.annotations?.[MANAGED] === 'true'

/** A volume that a pod needs on its node. */
export interface DesiredVolume {
  readonly volume: PersistentVolume
  /** Name of the CSI driver. */
  readonly driver: string
  /** Identifies the volume to its driver. */
  readonly handle: string
  /** Pods of the node that use it. */
  readonly pods: readonly Pod[]
}

/** Returns the name of the attachment of a volume to a node. Source: getAttachmentName of pkg/volume/csi. */
export const attachmentName = (handle: string, driver: string, node: string): string =>
  `csi-${createHash('sha256').update(`${handle}${driver}${node}`).digest('hex')}`

/** Returns the name of a volume in the status of nodes. */
export const uniqueVolumeName = (driver: string, handle: string): string => `kubernetes.io/csi/${driver}^${handle}`

/** Reads of the objects on which the volumes of a node depend. */
export interface VolumeReads {
  /** Returns a claim by `namespace/name`. */
  claim(key: string): PersistentVolumeClaim | undefined
  volume(name: string): PersistentVolume | undefined
  driver(name: string): CSIDriver | undefined
}

/**
 * Returns the volumes that pods need on their node, by their unique name. Volumes of drivers that attach nothing are
 * left out.
 */
export function desiredVolumes(pods: readonly Pod[], node: Pick<Pod, 'metadata'>, reads: VolumeReads): Map<string, DesiredVolume> {
  const desired = new Map<string, DesiredVolume>()
  const keepsTerminated = node.metadata.annotations?.[KEEPS_TERMINATED] === 'true'
  for (const pod of pods) {
    if (isPodStopped(pod) && !keepsTerminated) continue
    for (const each of pod.spec.volumes ?? []) {
      const claimName = claimNameOf(pod, each)
      const claim = claimName === undefined ? undefined : reads.claim(`${pod.metadata.namespace ?? ''}/${claimName}`)
      if (claim?.status.phase !== 'Bound') continue
      const volume = reads.volume(claim.spec.volumeName ?? '')
      const csi = volume?.spec.csi
      if (volume === undefined || csi === undefined || volume.spec.claimRef?.uid !== claim.metadata.uid) continue
      if (reads.driver(csi.driver)?.spec.attachRequired === false) continue
      const name = uniqueVolumeName(csi.driver, csi.volumeHandle)
      desired.set(name, { volume, driver: csi.driver, handle: csi.volumeHandle, pods: [...(desired.get(name)?.pods ?? []), pod] })
    }
  }
  return desired
}

/** Returns the attachment of a volume to a node. */
export const attachmentOf = ({ volume, driver, handle }: DesiredVolume, nodeName: string): VolumeAttachment => ({
  kind: 'VolumeAttachment',
  apiVersion: 'storage.k8s.io/v1',
  metadata: { name: attachmentName(handle, driver, nodeName) },
  spec: { attacher: driver, nodeName, source: { persistentVolumeName: volume.metadata.name ?? '' } },
  status: { attached: false },
})

/** Whether a volume may be attached to several nodes at once. */
export const isShared = ({ spec: { accessModes = [] } }: PersistentVolume): boolean =>
  accessModes.some(mode => mode === 'ReadWriteMany' || mode === 'ReadOnlyMany')

/** Returns why a volume cannot be attached while other nodes have it. @param users pods of those nodes that use it */
export function multiAttachError(name: string, users: readonly Pod[], namespace: string): string {
  const prefix = `Multi-Attach error for volume "${name}" Volume is already`
  if (users.length === 0) return `${prefix} exclusively attached to one node and can't be attached to another`
  const own = users.filter(({ metadata }) => metadata.namespace === namespace).map(({ metadata }) => metadata.name ?? '')
  const others = users.length - own.length
  if (own.length === 0) return `${prefix} used by ${others} pod(s) in different namespaces`
  const listed = `pod(s) ${own.join(', ')}`
  return others === 0 ? `${prefix} used by ${listed}` : `${prefix} used by ${listed} and ${others} pod(s) in different namespaces`
}
