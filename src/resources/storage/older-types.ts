/**
 * Kinds of storage.k8s.io/v1beta1 that have gone to v1, as earlier releases served them. Objects of that version are still read and written in every media type, by programs and by a server that
 * emulates a release that has them.
 */
export const olderStorageV1beta1Types = `
types CSIDriver CSIDriverList CSINode CSINodeDriver CSINodeList CSINodeSpec CSIStorageCapacity CSIStorageCapacityList StorageClassList TokenRequest like storage
types VolumeAttachment VolumeAttachmentList VolumeAttachmentSource VolumeAttachmentSpec VolumeAttachmentStatus VolumeError VolumeNodeResources like storage

type CSIDriverSpec like storage.CSIDriverSpec
  volumeLifecycleModes 3 []string? atomic

type StorageClass like storage.StorageClass
  volumeBindingMode 7 *string?
`

/** Likewise of v1alpha1. */
export const olderStorageV1alpha1Types = `
types CSIStorageCapacity CSIStorageCapacityList VolumeAttachment VolumeAttachmentList VolumeAttachmentSource VolumeAttachmentSpec like storage
types VolumeAttachmentStatus VolumeError like storage
`
