import type { PersistentVolume, PersistentVolumeClaim } from '../../../api/core/v1.types.ts'
import { compareQuantity } from '../../../meta/quantity.ts'
import { migratedDriver } from '../../shared/csi-migration.ts'
import { requestedStorage } from '../../shared/volumes.ts'

/** Annotation of a claim with the CSI driver that shall expand its volume. */
export const STORAGE_RESIZER = 'volume.kubernetes.io/storage-resizer'

/** Whether a bound claim asks for more than it has. */
export const isToGrow = ({ status, ...claim }: PersistentVolumeClaim): boolean =>
  status.phase === 'Bound' && compareQuantity(requestedStorage({ ...claim, status }), status.capacity?.storage) > 0

/** Who expands a volume. */
export interface Expansion {
  /** Text of the event of the claim. */
  readonly message: string
  /** CSI driver that has replaced the plugin of the volume. Undefined if the volume has no such plugin. */
  readonly resizer: string | undefined
}

/** Decides who expands a volume. No plugin of kube-controller-manager expands volumes itself since 1.33. */
export function expansionOf({ spec }: PersistentVolume): Expansion {
  const plugin = PLUGINS.find(([source]) => spec[source] !== undefined)?.[1]
  const resizer = plugin === undefined ? undefined : migratedDriver(plugin)
  if (resizer === undefined) return { message: 'waiting for an external controller to expand this PVC', resizer }
  return { message: `CSI migration enabled for ${plugin}; waiting for external resizer to expand the pvc`, resizer }
}

const PLUGINS = [
  ['awsElasticBlockStore', 'kubernetes.io/aws-ebs'],
  ['azureDisk', 'kubernetes.io/azure-disk'],
  ['azureFile', 'kubernetes.io/azure-file'],
  ['cinder', 'kubernetes.io/cinder'],
  ['gcePersistentDisk', 'kubernetes.io/gce-pd'],
  ['portworxVolume', 'kubernetes.io/portworx-volume'],
  ['vsphereVolume', 'kubernetes.io/vsphere-volume'],
] as const
