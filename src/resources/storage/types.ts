import type { TypePackage } from '../../schema/idl.ts'
import { olderStorageV1alpha1Types, olderStorageV1beta1Types } from './older-types.ts'

/** The types of storage.k8s.io/v1. */
export const storageTypes: TypePackage = {
  id: 'storage',
  definition: 'io.k8s.api.storage.v1',
  source: `
enum PersistentVolumeReclaimPolicy Delete Recycle Retain
enum VolumeBindingMode Immediate WaitForFirstConsumer

type CSIDriver typemeta
  metadata 1 meta.ObjectMeta?
  spec 2 CSIDriverSpec

type CSIDriverList typemeta
  metadata 1 meta.ListMeta?
  items 2 []CSIDriver

type CSIDriverSpec
  attachRequired 1 *bool?
  podInfoOnMount 2 *bool?
  volumeLifecycleModes 3 []string? set
  storageCapacity 4 *bool?
  fsGroupPolicy 5 *string?
  tokenRequests 6 []TokenRequest? atomic
  requiresRepublish 7 *bool?
  seLinuxMount 8 *bool?
  nodeAllocatableUpdatePeriodSeconds 9 *int64?

type CSINode typemeta
  metadata 1 meta.ObjectMeta?
  spec 2 CSINodeSpec

type CSINodeDriver
  name 1 string
  nodeID 2 string
  topologyKeys 3 []string optional atomic
  allocatable 4 *VolumeNodeResources?

type CSINodeList typemeta
  metadata 1 meta.ListMeta?
  items 2 []CSINode

type CSINodeSpec
  drivers 1 []CSINodeDriver map(name) merge(name)

type CSIStorageCapacity typemeta
  metadata 1 meta.ObjectMeta?
  nodeTopology 2 *meta.LabelSelector?
  storageClassName 3 string
  capacity 4 *Quantity?
  maximumVolumeSize 5 *Quantity?

type CSIStorageCapacityList typemeta
  metadata 1 meta.ListMeta?
  items 2 []CSIStorageCapacity

type StorageClass typemeta
  metadata 1 meta.ObjectMeta?
  provisioner 2 string
  parameters 3 map[string]string?
  reclaimPolicy 4 *PersistentVolumeReclaimPolicy?
  mountOptions 5 []string? atomic
  allowVolumeExpansion 6 *bool?
  volumeBindingMode 7 *VolumeBindingMode?
  allowedTopologies 8 []core.TopologySelectorTerm? atomic

type StorageClassList typemeta
  metadata 1 meta.ListMeta?
  items 2 []StorageClass

type TokenRequest
  audience 1 string
  expirationSeconds 2 *int64?

type VolumeAttachment typemeta
  metadata 1 meta.ObjectMeta?
  spec 2 VolumeAttachmentSpec
  status 3 VolumeAttachmentStatus?

type VolumeAttachmentList typemeta
  metadata 1 meta.ListMeta?
  items 2 []VolumeAttachment

type VolumeAttachmentSource
  persistentVolumeName 1 *string?
  inlineVolumeSpec 2 *core.PersistentVolumeSpec?

type VolumeAttachmentSpec
  attacher 1 string
  source 2 VolumeAttachmentSource
  nodeName 3 string

type VolumeAttachmentStatus
  attached 1 bool
  attachmentMetadata 2 map[string]string?
  attachError 3 *VolumeError?
  detachError 4 *VolumeError?

type VolumeError
  time 1 Time?
  message 2 string?
  errorCode 3 *int32?

type VolumeNodeResources
  count 1 *int32?
`,
}

/** The same in both versions. */
const volumeAttributesClass = `
type VolumeAttributesClass typemeta
  metadata 1 meta.ObjectMeta?
  driverName 2 string
  parameters 3 map[string]string?

type VolumeAttributesClassList typemeta
  metadata 1 meta.ListMeta?
  items 2 []VolumeAttributesClass
`

/** The types of storage.k8s.io/v1beta1. */
export const storageV1beta1Types: TypePackage = {
  id: 'storagev1beta1',
  definition: 'io.k8s.api.storage.v1beta1',
  source: volumeAttributesClass + olderStorageV1beta1Types,
}

/** The types of storage.k8s.io/v1alpha1. */
export const storageV1alpha1Types: TypePackage = {
  id: 'storagev1alpha1',
  definition: 'io.k8s.api.storage.v1alpha1',
  source: volumeAttributesClass + olderStorageV1alpha1Types,
}
