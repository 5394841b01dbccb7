import type { PersistentVolume, PersistentVolumeClaim } from '../../src/api/core/v1.types.ts'
import type { StorageClass } from '../../src/api/storage/v1.types.ts'

/** Parts of an object's metadata and spec; all others have defaults. */
interface StorageParts {
  readonly annotations?: Record<string, string>
  readonly metadata?: object
  readonly spec?: object
  readonly status?: object
}

/** A claim for 1 GiB that one node may write. */
export const claimOf = (name: string, { annotations, metadata, spec, status }: StorageParts = {}): PersistentVolumeClaim =>
  ({
    kind: 'PersistentVolumeClaim',
    apiVersion: 'v1',
    metadata: { name, namespace: 'default', uid: `uid-${name}`, resourceVersion: '7', ...(annotations && { annotations }), ...metadata },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
    status: { phase: 'Pending', ...status },
  }) as PersistentVolumeClaim

/** An available volume of 5 GiB that one node may write. */
export const volumeOf = (name: string, { annotations, metadata, spec, status }: StorageParts = {}): PersistentVolume =>
  ({
    kind: 'PersistentVolume',
    apiVersion: 'v1',
    metadata: { name, uid: `uid-${name}`, ...(annotations && { annotations }), ...metadata },
    spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '5Gi' }, persistentVolumeReclaimPolicy: 'Retain', ...spec },
    status: { phase: 'Available', ...status },
  }) as PersistentVolume

export const storageClassOf = (name: string, parts: object = {}): StorageClass =>
  ({
    kind: 'StorageClass',
    apiVersion: 'storage.k8s.io/v1',
    metadata: { name },
    provisioner: 'example.com/x',
    volumeBindingMode: 'Immediate',
    ...parts,
  }) as StorageClass
