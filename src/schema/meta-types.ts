import type { TypePackage } from './idl.ts'

/** The types of meta/v1 that objects and requests of every group use. */
export const metaTypes: TypePackage = {
  id: 'meta',
  definition: 'io.k8s.apimachinery.pkg.apis.meta.v1',
  source: `

type APIGroup typemeta
  name 1 string
  versions 2 []GroupVersionForDiscovery atomic
  preferredVersion 3 GroupVersionForDiscovery?
  serverAddressByClientCIDRs 4 []ServerAddressByClientCIDR? atomic

type APIGroupList typemeta
  groups 1 []APIGroup atomic

type APIResource
  name 1 string
  singularName 6 string
  namespaced 2 bool
  group 8 string?
  version 9 string?
  kind 3 string
  verbs 4 []string
  shortNames 5 []string? atomic
  categories 7 []string? atomic
  storageVersionHash 10 string?

type APIResourceList typemeta
  groupVersion 1 string
  resources 2 []APIResource atomic

type APIVersions typemeta
  versions 1 []string atomic
  serverAddressByClientCIDRs 2 []ServerAddressByClientCIDR atomic

type ApplyOptions typemeta
  dryRun 1 []string? atomic
  force 2 bool
  fieldManager 3 string

type Condition
  type 1 string
  status 2 string
  observedGeneration 3 int64?
  lastTransitionTime 4 Time
  reason 5 string
  message 6 string

type CreateOptions typemeta
  dryRun 1 []string? atomic
  fieldManager 3 string?
  fieldValidation 4 string?

type DeleteOptions typemeta
  gracePeriodSeconds 1 *int64?
  preconditions 2 *Preconditions?
  orphanDependents 3 *bool? deprecated
  propagationPolicy 4 *string?
  dryRun 5 []string? atomic
  ignoreStoreReadErrorWithClusterBreakingPotential 6 *bool?

type FieldSelectorRequirement
  key 1 string
  operator 2 string
  values 3 []string? atomic

type GetOptions typemeta
  resourceVersion 1 string?

type GroupKind
  group 1 string
  kind 2 string

type GroupResource
  group 1 string
  resource 2 string

type GroupVersion
  group 1 string
  version 2 string

type GroupVersionForDiscovery
  groupVersion 1 string
  version 2 string

type GroupVersionKind
  group 1 string
  version 2 string
  kind 3 string

type GroupVersionResource
  group 1 string
  version 2 string
  resource 3 string

type LabelSelector atomic
  matchLabels 1 map[string]string?
  matchExpressions 2 []LabelSelectorRequirement? atomic

type LabelSelectorRequirement
  key 1 string
  operator 2 string
  values 3 []string? atomic

type List typemeta
  metadata 1 ListMeta?
  items 2 []RawExtension

type ListMeta
  selfLink 1 string? deprecated
  resourceVersion 2 string?
  continue 3 string?
  remainingItemCount 4 *int64?

type ListOptions typemeta
  labelSelector 1 string?
  fieldSelector 2 string?
  watch 3 bool?
  allowWatchBookmarks 9 bool?
  resourceVersion 4 string?
  resourceVersionMatch 10 string?
  timeoutSeconds 5 *int64?
  limit 7 int64?
  continue 8 string?
  sendInitialEvents 11 *bool?

type ManagedFieldsEntry
  manager 1 string?
  operation 2 string?
  apiVersion 3 string?
  time 4 *Time?
  fieldsType 6 string?
  fieldsV1 7 *FieldsV1?
  subresource 8 string?

type ObjectMeta
  name 1 string?
  generateName 2 string?
  namespace 3 string?
  selfLink 4 string? deprecated
  uid 5 UID?
  resourceVersion 6 string?
  generation 7 int64?
  creationTimestamp 8 Time?
  deletionTimestamp 9 *Time?
  deletionGracePeriodSeconds 10 *int64?
  labels 11 map[string]string?
  annotations 12 map[string]string?
  ownerReferences 13 []OwnerReference? map(uid) merge(uid)
  finalizers 14 []string? set merge
  managedFields 17 []ManagedFieldsEntry? atomic

type OwnerReference atomic
  apiVersion 5 string
  kind 1 string
  name 3 string
  uid 4 UID
  controller 6 *bool?
  blockOwnerDeletion 7 *bool?

type PartialObjectMetadata typemeta
  metadata 1 ObjectMeta?

type PartialObjectMetadataList typemeta
  metadata 1 ListMeta?
  items 2 []PartialObjectMetadata

type Patch

type PatchOptions typemeta
  dryRun 1 []string? atomic
  force 2 *bool?
  fieldManager 3 string?
  fieldValidation 4 string?

type Preconditions
  uid 1 *UID?
  resourceVersion 2 *string?

type RootPaths
  paths 1 []string atomic

type ServerAddressByClientCIDR
  clientCIDR 1 string
  serverAddress 2 string

type Status typemeta
  metadata 1 ListMeta?
  status 2 string?
  message 3 string?
  reason 4 string?
  details 5 *StatusDetails? strayatomic
  code 6 int32?

type StatusCause
  reason 1 string?
  message 2 string?
  field 3 string?

type StatusDetails
  name 1 string?
  group 2 string?
  kind 3 string?
  uid 6 UID?
  causes 4 []StatusCause? atomic
  retryAfterSeconds 5 int32?

type TableOptions typemeta
  includeObject 1 string?

type UpdateOptions typemeta
  dryRun 1 []string? atomic
  fieldManager 2 string?
  fieldValidation 3 string?

type WatchEvent
  type 1 string
  object 2 RawExtension
`,
}

/** What stands in meta/v1beta1 beside types of meta/v1: its list of metadata numbers its two fields the other way round. */
export const metaV1beta1Types: TypePackage = {
  id: 'metaV1beta1',
  definition: 'io.k8s.apimachinery.pkg.apis.meta.v1beta1',
  source: `
type PartialObjectMetadataList typemeta
  metadata 2 meta.ListMeta?
  items 1 []meta.PartialObjectMetadata
`,
}
