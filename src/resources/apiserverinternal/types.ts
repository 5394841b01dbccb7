import type { TypePackage } from '../../schema/idl.ts'

/** The types of internal.apiserver.k8s.io/v1alpha1. */
export const apiServerInternalTypes: TypePackage = {
  id: 'apiserverinternal',
  definition: 'io.k8s.api.apiserverinternal.v1alpha1',
  source: `
type ServerStorageVersion
  apiServerID 1 string? # The server that reports.
  encodingVersion 2 string? # The version in which the server stores objects.
  decodableVersions 3 []string? set # The versions that the server can read.
  servedVersions 4 []string? set # The versions in which the server serves the resource.

type StorageVersion typemeta # In what versions the servers of a cluster store a resource; the name is that of the resource with its group before it.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  spec 2 StorageVersionSpec # Empty.
  status 3 StorageVersionStatus # What is, as last reported; not set by those who want something.

type StorageVersionCondition
  type 1 string # What the condition is about.
  status 2 string # True, False or Unknown.
  observedGeneration 3 int64? # The generation that the condition is about.
  lastTransitionTime 4 Time? # When the status last changed.
  reason 5 string # Why, in one word.
  message 6 string omitempty # Why, in a sentence.

type StorageVersionList typemeta
  metadata 1 meta.ListMeta?
  items 2 []StorageVersion

type StorageVersionSpec

type StorageVersionStatus
  storageVersions 1 []ServerStorageVersion? map(apiServerID) # What each server has reported.
  commonEncodingVersion 2 *string? # The version in which all servers store the resource, if they agree.
  conditions 3 []StorageVersionCondition? map(type) # The present state, by conditions.
`,
}
