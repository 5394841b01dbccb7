import type { TypePackage } from '../../schema/idl.ts'

/** The types of storagemigration.k8s.io/v1alpha1. */
export const storageMigrationTypes: TypePackage = {
  id: 'storagemigration',
  definition: 'io.k8s.api.storagemigration.v1alpha1',
  source: `
type GroupVersionResource
  group 1 string?
  version 2 string?
  resource 3 string?

type MigrationCondition
  type 1 string
  status 2 string
  lastUpdateTime 3 Time?
  reason 4 string?
  message 5 string?

type StorageVersionMigration typemeta
  metadata 1 meta.ObjectMeta?
  spec 2 StorageVersionMigrationSpec?
  status 3 StorageVersionMigrationStatus?

type StorageVersionMigrationList typemeta
  metadata 1 meta.ListMeta?
  items 2 []StorageVersionMigration map(type) merge(type)

type StorageVersionMigrationSpec
  resource 1 GroupVersionResource
  continueToken 2 string?

type StorageVersionMigrationStatus
  conditions 1 []MigrationCondition? map(type) merge(type)
  resourceVersion 2 string?
`,
}
