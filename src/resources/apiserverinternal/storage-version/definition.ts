import type { ServerStorageVersion, StorageVersion } from '../../../api/apiserverinternal/v1alpha1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { TableDefinition, Version } from '../../../catalog/definition.ts'
import { types } from '../../../catalog/types.ts'
import { age } from '../../../meta/age.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { statusAloneStrategy, withholdStatus } from '../../shared/status-metadata.ts'
import { STANDARD_VERBS, STATUS_FIELDS, STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { nameIsGroupAndResource, validateStorageVersionStatus } from './validation.ts'

const SHOWN = 3

/** Prints `server=version` for the first three servers. */
function serversCell(servers: readonly ServerStorageVersion[]): string {
  const list = servers.slice(0, SHOWN).map(({ apiServerID = '', encodingVersion = '' }) => `${apiServerID}=${encodingVersion}`)
  if (servers.length > SHOWN) return `${list.join(',')} + ${servers.length - SHOWN} more...`
  return list.join(',') || '<unset>'
}

const table: TableDefinition<StorageVersion> = {
  columns: [
    nameColumn,
    column('CommonEncodingVersion', 'Version in which all servers store the resource, if it is the same.'),
    column('StorageVersions', 'Version in which each server stores the resource.'),
    ageColumn,
  ],
  cells: ({ metadata, status }, now) => [
    metadata.name ?? '',
    status.commonEncodingVersion ?? '<unset>',
    serversCell(status.storageVersions ?? []),
    age(metadata.creationTimestamp, now),
  ],
}

const v1alpha1: Version<StorageVersion> = {
  group: 'internal.apiserver.k8s.io',
  name: 'v1alpha1',
  kind: 'StorageVersion',
  names: { plural: 'storageversions', singular: 'storageversion' },
  verbs: STANDARD_VERBS,
  schema: types.type('apiserverinternal.StorageVersion'),
  table,
  subresources: {
    status: {
      verbs: STATUS_VERBS,
      strategy: statusAloneStrategy({ allowUnconditionalUpdate: false, validate: validateStorageVersionStatus }),
    },
  },
}

/**
 * The versions in which the servers of a cluster store a resource. Not served by default, and not written by this
 * server. https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/storage-version-v1alpha1/ Source of its
 * rules: pkg/registry/apiserverinternal/storageversion.
 */
export const storageVersionResource = defineResource<StorageVersion>({
  scope: 'Cluster',
  versions: [v1alpha1],
  hub: v1alpha1,
  storage: { prefix: 'storageversions', version: v1alpha1 },
  strategy: {
    allowUnconditionalUpdate: false,
    validateName: nameIsGroupAndResource,
    resetFields: STATUS_FIELDS,
    prepare: (next, old) => withholdStatus(next, old),
    validate: () => [],
  },
})
