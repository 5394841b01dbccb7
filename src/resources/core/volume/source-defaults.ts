import type { AzureDiskVolumeSource, ISCSIVolumeSource, RBDVolumeSource, ScaleIOVolumeSource } from '../v1.types.ts'

/** Sources that pods and volumes of the cluster have alike, as far as they have defaults. */
interface Sources {
  readonly azureDisk?: AzureDiskVolumeSource
  readonly iscsi?: Pick<ISCSIVolumeSource, 'iscsiInterface'>
  readonly rbd?: Pick<RBDVolumeSource, 'pool' | 'user' | 'keyring'>
  readonly scaleIO?: Pick<ScaleIOVolumeSource, 'storageMode' | 'fsType'>
}

/** Sets, in place, the defaults that the types declare since release 1.31 only: releases before have them, too, and say nothing of them in OpenAPI. */
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
