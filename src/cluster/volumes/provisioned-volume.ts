import type { NodeSelectorTerm, PersistentVolume, PersistentVolumeClaim } from '../../api/core/v1.types.ts'
import type { StorageClass } from '../../api/storage/v1.types.ts'
import {
  BETA_STORAGE_PROVISIONER,
  classOf,
  isDelayed,
  PROVISIONED_BY,
  PROVISIONER_FINALIZER,
  requestedStorage,
  SELECTED_NODE,
  STORAGE_PROVISIONER,
} from '../shared/volumes.ts'
import { SIMULATED_DRIVER } from './default-objects.ts'

/**
 * Provisioners of minikube, of Docker Desktop, and of kind and k3s. Manifests for these clusters name them, and no
 * program serves them here.
 */
const LOCAL_PROVISIONERS: ReadonlySet<string> = new Set(['k8s.io/minikube-hostpath', 'docker.io/hostpath', 'rancher.io/local-path'])

const isSimulatedProvisioner = (name: string): boolean => name === SIMULATED_DRIVER || LOCAL_PROVISIONERS.has(name)

const SECRET_ANNOTATIONS = {
  'volume.kubernetes.io/provisioner-deletion-secret-name': '',
  'volume.kubernetes.io/provisioner-deletion-secret-namespace': '',
}

/** Name of the volume of a claim. */
export const volumeName = ({ metadata: { uid = '' } }: Pick<PersistentVolumeClaim, 'metadata'>): string => `pvc-${uid}`

/**
 * Reports whether the driver provisions a volume for a claim now. Source: shouldProvision of
 * sigs.k8s.io/sig-storage-lib-external-provisioner.
 */
export function isToProvision(claim: PersistentVolumeClaim, storageClass: StorageClass | undefined): boolean {
  const { annotations } = claim.metadata
  if (storageClass === undefined || !isSimulatedProvisioner(storageClass.provisioner)) return false
  if (claim.spec.volumeName || claim.metadata.deletionTimestamp !== undefined) return false
  if ((annotations?.[STORAGE_PROVISIONER] ?? annotations?.[BETA_STORAGE_PROVISIONER]) !== storageClass.provisioner) return false
  return !isDelayed(storageClass) || (annotations?.[SELECTED_NODE] ?? '') !== ''
}

/** Reports whether the content of a claim's volume comes from another program: a snapshot or a volume populator. */
export const isPopulatedByOthers = ({ spec: { dataSource, dataSourceRef } }: PersistentVolumeClaim): boolean =>
  [dataSource, dataSourceRef].some(source => source !== undefined && source.kind !== 'PersistentVolumeClaim')

/** Options of `provisionedVolume` that depend on the release. */
export interface ProvisionOptions {
  /** Whether a finalizer keeps the volume until the driver has deleted it, as gate HonorPVReclaimPolicy says. */
  readonly keepsUntilDeleted: boolean
  /** Whether volumes have a class of attributes. */
  readonly hasAttributesClass: boolean
}

/** Returns the volume of a claim, as external-provisioner creates it, or the provisioner of a local cluster. */
export function provisionedVolume(claim: PersistentVolumeClaim, storageClass: StorageClass, options: ProvisionOptions): PersistentVolume {
  const { namespace = '', name = '', uid = '', resourceVersion = '' } = claim.metadata
  const { accessModes, volumeMode, volumeAttributesClassName } = claim.spec
  const { provisioner, reclaimPolicy, parameters, mountOptions, allowedTopologies } = storageClass
  const isCsi = provisioner === SIMULATED_DRIVER
  const fsType = parameters?.['csi.storage.k8s.io/fstype']
  const handle = volumeName(claim)
  return {
    kind: 'PersistentVolume',
    apiVersion: 'v1',
    metadata: {
      name: handle,
      annotations: { [PROVISIONED_BY]: provisioner, ...(isCsi && SECRET_ANNOTATIONS) },
      ...(options.keepsUntilDeleted && { finalizers: [PROVISIONER_FINALIZER] }),
    },
    spec: {
      ...(accessModes && { accessModes }),
      capacity: { storage: requestedStorage(claim) ?? '0' },
      claimRef: { kind: 'PersistentVolumeClaim', namespace, name, uid, apiVersion: 'v1', resourceVersion },
      ...(isCsi
        ? { csi: { driver: SIMULATED_DRIVER, volumeHandle: handle, ...(fsType !== undefined && { fsType }) } }
        : { hostPath: { path: `/tmp/hostpath-provisioner/${namespace}/${name}`, type: '' } }),
      persistentVolumeReclaimPolicy: reclaimPolicy || 'Delete',
      storageClassName: classOf(claim),
      ...(volumeMode && { volumeMode }),
      ...(mountOptions && { mountOptions }),
      ...(options.hasAttributesClass && volumeAttributesClassName && { volumeAttributesClassName }),
      ...(allowedTopologies?.length && { nodeAffinity: { required: { nodeSelectorTerms: allowedTopologies.map(termOf) } } }),
    },
    status: {},
  }
}

const termOf = ({ matchLabelExpressions = [] }: NonNullable<StorageClass['allowedTopologies']>[number]): NodeSelectorTerm => ({
  matchExpressions: matchLabelExpressions.map(({ key, values }) => ({ key, operator: 'In', values: values ?? [] })),
})

/**
 * Reports whether the driver deletes a volume now. Source: shouldDelete of
 * sigs.k8s.io/sig-storage-lib-external-provisioner.
 */
export const isToDelete = ({ metadata, spec, status }: PersistentVolume): boolean =>
  status.phase === 'Released' &&
  spec.persistentVolumeReclaimPolicy === 'Delete' &&
  isSimulatedProvisioner(metadata.annotations?.[PROVISIONED_BY] ?? '') &&
  (metadata.deletionTimestamp === undefined || (metadata.finalizers?.includes(PROVISIONER_FINALIZER) ?? false))
