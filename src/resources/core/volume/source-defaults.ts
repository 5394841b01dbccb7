import type { AzureDiskVolumeSource, ISCSIVolumeSource, RBDVolumeSource, ScaleIOVolumeSource } from '../../../api/core/v1.types.ts'

/** Sources with defaults that pods and persistent volumes have in common. */
interface Sources {
  /** Set if the volume has this source. A volume has at most one, but each is defaulted on its own. */
  readonly azureDisk?: AzureDiskVolumeSource
  readonly iscsi?: Pick<ISCSIVolumeSource, 'iscsiInterface'>
  readonly rbd?: Pick<RBDVolumeSource, 'pool' | 'user' | 'keyring'>
  readonly scaleIO?: Pick<ScaleIOVolumeSource, 'storageMode' | 'fsType'>
}

/**
 * Sets defaults in place that the types declare only since release 1.31. Earlier releases have them as well, but do not
 * publish them in OpenAPI.
 */
export function defaultSources({ azureDisk, iscsi, rbd, scaleIO }: Sources): void {
  if (azureDisk) {
    azureDisk.cachingMode ??= 'ReadWrite'
    azureDisk.fsType ??= 'ext4'
    azureDisk.kind ??= 'Shared'
  }
  if (iscsi) iscsi.iscsiInterface ??= 'default'
  if (rbd) {
    rbd.pool ??= 'rbd'
    rbd.user ??= 'admin'
    rbd.keyring ??= '/etc/ceph/keyring'
  }
  if (scaleIO) {
    scaleIO.storageMode ??= 'ThinProvisioned'
    scaleIO.fsType ??= 'xfs'
  }
}
