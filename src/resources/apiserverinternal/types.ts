import type { TypePackage } from '../../schema/idl.ts'

/** The types of internal.apiserver.k8s.io/v1alpha1. */
export const apiServerInternalTypes: TypePackage = {
  id: 'apiserverinternal',
  definition: 'io.k8s.api.apiserverinternal.v1alpha1',
  source: `
type ServerStorageVersion
  apiServerID 1 string?
  encodingVersion 2 string?
  decodableVersions 3 []string? set
  servedVersions 4 []string? set

type StorageVersion typemeta
  metadata 1 meta.ObjectMeta?
  spec 2 StorageVersionSpec
  status 3 StorageVersionStatus

type StorageVersionCondition
  type 1 string
  status 2 string
  observedGeneration 3 int64?
  lastTransitionTime 4 Time?
  reason 5 string
  message 6 string omitempty

type StorageVersionList typemeta
  metadata 1 meta.ListMeta?
  items 2 []StorageVersion

type StorageVersionSpec

type StorageVersionStatus
  storageVersions 1 []ServerStorageVersion? map(apiServerID)
  commonEncodingVersion 2 *string?
  conditions 3 []StorageVersionCondition? map(type)
`,
}
