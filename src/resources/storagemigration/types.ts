import type { TypePackage } from '../../schema/idl.ts'

/** The types of storagemigration.k8s.io/v1alpha1. */
export const storageMigrationTypes: TypePackage = {
  id: 'storagemigration',
  definition: 'io.k8s.api.storagemigration.v1alpha1',
  source: `
type GroupVersionResource
  group 1 string? # The API group; empty for the core group.
  version 2 string? # The version.
  resource 3 string? # The plural name.

type MigrationCondition
  type 1 string # What the condition is about.
  status 2 string # True, False or Unknown.
  lastUpdateTime 3 Time? # When the condition was last written.
  reason 4 string? # Why, in one word.
  message 5 string? # Why, in a sentence.

type StorageVersionMigration typemeta # Asks that all stored objects of a resource be written again, in the version that is stored now.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  spec 2 StorageVersionMigrationSpec? # What is wanted.
  status 3 StorageVersionMigrationStatus? # What is, as last reported; not set by those who want something.

type StorageVersionMigrationList typemeta
  metadata 1 meta.ListMeta?
  items 2 []StorageVersionMigration map(type) merge(type)

type StorageVersionMigrationSpec
  resource 1 GroupVersionResource # The resource. Cannot be changed.
  continueToken 2 string? # Where to go on in the list of objects.

type StorageVersionMigrationStatus
  conditions 1 []MigrationCondition? map(type) merge(type) # The present state, by conditions: Running, Succeeded, Failed.
  resourceVersion 2 string? # The resource version at which the migration began.
`,
}
