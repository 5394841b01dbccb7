import type { TypePackage } from '../../schema/idl.ts'
import { olderStorageV1alpha1Types, olderStorageV1beta1Types } from './older-types.ts'

/** The types of storage.k8s.io/v1. */
export const storageTypes: TypePackage = {
  id: 'storage',
  definition: 'io.k8s.api.storage.v1',
  source: `
enum PersistentVolumeReclaimPolicy Delete Recycle Retain
enum VolumeBindingMode Immediate WaitForFirstConsumer

type CSIDriver typemeta # What a driver for volumes can do and needs; named as the driver is.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  spec 2 CSIDriverSpec # What is wanted.

type CSIDriverList typemeta
  metadata 1 meta.ListMeta?
  items 2 []CSIDriver

type CSIDriverSpec
  attachRequired 1 *bool? # Whether volumes are attached to a node before they are mounted; true unless it says otherwise. Cannot be changed.
  podInfoOnMount 2 *bool? # Whether the driver is told of the pod when it mounts.
  volumeLifecycleModes 3 []string? set # Persistent (the default), Ephemeral, or both: how pods may use its volumes. Cannot be changed.
  storageCapacity 4 *bool? # Whether pods wait until CSIStorageCapacity objects say that there is room for their volumes.
  fsGroupPolicy 5 *string? # Whether a volume's owner and mode may be changed to the pod's group: ReadWriteOnceWithFSType (the default), File or None.
  tokenRequests 6 []TokenRequest? atomic # Tokens of the pod's service account that the driver gets, one an audience.
  requiresRepublish 7 *bool? # Whether mounts are published again and again, to renew what they show.
  seLinuxMount 8 *bool? # Whether volumes can be mounted with an SELinux context.
  nodeAllocatableUpdatePeriodSeconds 9 *int64? # How often the number of volumes that a node can take is asked for again; 10 at least.

type CSINode typemeta # The drivers on a node; named as the node is.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  spec 2 CSINodeSpec # What is wanted.

type CSINodeDriver
  name 1 string # As the driver calls itself.
  nodeID 2 string # What the driver calls this node.
  topologyKeys 3 []string optional atomic # Labels of nodes that say where a volume can be reached from.
  allocatable 4 *VolumeNodeResources? # How much of the driver's storage the node can take.

type CSINodeList typemeta
  metadata 1 meta.ListMeta?
  items 2 []CSINode

type CSINodeSpec
  drivers 1 []CSINodeDriver map(name) merge(name) # Each driver once.

type CSIStorageCapacity typemeta # How much storage of a class can be had somewhere; kept by drivers for the scheduler.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  nodeTopology 2 *meta.LabelSelector? # The nodes from which the storage can be reached; none: no node.
  storageClassName 3 string # The class that is meant; cannot be changed.
  capacity 4 *Quantity? # How much there is in all, as last reported.
  maximumVolumeSize 5 *Quantity? # The largest volume that can be made.

type CSIStorageCapacityList typemeta
  metadata 1 meta.ListMeta?
  items 2 []CSIStorageCapacity

type StorageClass typemeta # A sort of storage that claims can ask for by name, and who makes its volumes.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  provisioner 2 string # Who makes the volumes; cannot be changed.
  parameters 3 map[string]string? # For the provisioner; cannot be changed.
  reclaimPolicy 4 *PersistentVolumeReclaimPolicy? # What becomes of volumes that were made for a claim when it goes: Delete (the default) or Retain.
  mountOptions 5 []string? atomic # For the mounts of its volumes; not checked.
  allowVolumeExpansion 6 *bool? # Whether claims of the class may be made larger.
  volumeBindingMode 7 *VolumeBindingMode? # Whether volumes are made at once (Immediate, the default) or when the first pod that uses the claim is scheduled (WaitForFirstConsumer).
  allowedTopologies 8 []core.TopologySelectorTerm? atomic # Where volumes may be made.

type StorageClassList typemeta
  metadata 1 meta.ListMeta?
  items 2 []StorageClass

type TokenRequest
  audience 1 string # Whom the token is for; empty: the API server.
  expirationSeconds 2 *int64? # How long the token is good for.

type VolumeAttachment typemeta # Asks for a volume to be attached to a node, and says whether it is.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  spec 2 VolumeAttachmentSpec # What is wanted.
  status 3 VolumeAttachmentStatus? # What is, as last reported; not set by those who want something.

type VolumeAttachmentList typemeta
  metadata 1 meta.ListMeta?
  items 2 []VolumeAttachment

type VolumeAttachmentSource
  persistentVolumeName 1 *string? # A persistent volume.
  inlineVolumeSpec 2 *core.PersistentVolumeSpec? # What a volume that a pod itself declares was turned into.

type VolumeAttachmentSpec
  attacher 1 string # The driver that attaches; as CSIDriver and CSINode name it.
  source 2 VolumeAttachmentSource # The volume.
  nodeName 3 string # The node.

type VolumeAttachmentStatus
  attached 1 bool # Whether it is attached.
  attachmentMetadata 2 map[string]string? # What the attacher says for those who mount.
  attachError 3 *VolumeError? # What last went wrong with attaching.
  detachError 4 *VolumeError? # What last went wrong with detaching.

type VolumeError
  time 1 Time? # When it went wrong.
  message 2 string? # What went wrong; holds no secrets.
  errorCode 3 *int32? # The gRPC code of the error.

type VolumeNodeResources
  count 1 *int32? # The most volumes at the same time; none: no bound.
`,
}

/** The same in both versions. */
const volumeAttributesClass = `
type VolumeAttributesClass typemeta # Properties that volumes of a driver can be given, and changed to, by name.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  driverName 2 string # The driver; cannot be changed.
  parameters 3 map[string]string? # For the driver; cannot be changed.

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
