import type { CSIDriver, CSIDriverSpec, TokenRequest } from '../../../api/storage/v1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { TableDefinition, Version } from '../../../catalog/definition.ts'
import { types } from '../../../catalog/types.ts'
import type { Steps } from '../../../lib/steps.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'
import { age } from '../../../meta/age.ts'
import { deepEqualBySize } from '../../../meta/equal.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { STANDARD_VERBS } from '../../shared/strategy-parts.ts'
import { setCSIDriverDefaults, setGatedCSIDriverDefaults } from './defaults.ts'
import { validateCSIDriver } from './validation.ts'

const audiences = (requests: readonly TokenRequest[] | undefined): string =>
  requests ? requests.map(({ audience }) => audience).join(',') : '<unset>'

/** Reports whether fields have changed that increment the generation. Before 1.30 these are few. */
function* isCounted(next: CSIDriverSpec, old: CSIDriverSpec, release: Release): Steps<boolean> {
  if (isSince(release, '1.30')) return !(yield* deepEqualBySize(next, old))
  for (const member of ['tokenRequests', 'requiresRepublish', 'seLinuxMount'] as const)
    if (!(yield* deepEqualBySize(next[member], old[member]))) return true
  return false
}

const table: TableDefinition<CSIDriver> = {
  columns: [
    nameColumn,
    column('AttachRequired', 'Whether volumes are attached before they are mounted.', 0, 'boolean'),
    column('PodInfoOnMount', 'Whether mounts include information about the pod.', 0, 'boolean'),
    column('StorageCapacity', 'Whether scheduling considers storage capacity.', 0, 'boolean'),
    column('TokenRequests', 'Audiences of the service account tokens for the driver.'),
    column('RequiresRepublish', 'Whether volumes are published periodically.', 0, 'boolean'),
    column('Modes', 'Lifecycle modes of its volumes.'),
    ageColumn,
  ],
  cells: ({ metadata, spec }, now) => [
    metadata.name ?? '',
    spec.attachRequired ?? true,
    spec.podInfoOnMount ?? false,
    spec.storageCapacity ?? false,
    audiences(spec.tokenRequests),
    spec.requiresRepublish ?? false,
    (spec.volumeLifecycleModes ?? []).join(',') || '<none>',
    age(metadata.creationTimestamp, now),
  ],
}

const v1: Version<CSIDriver> = {
  group: 'storage.k8s.io',
  name: 'v1',
  kind: 'CSIDriver',
  names: { plural: 'csidrivers', singular: 'csidriver' },
  verbs: STANDARD_VERBS,
  schema: types.type('storage.CSIDriver'),
  setDefaults: setCSIDriverDefaults,
  setGatedDefaults: setGatedCSIDriverDefaults,
  table,
}

/**
 * Describes how the kubelet handles volumes of a driver. The generation counts changes and is absent until the first
 * one, as in upstream. https://kubernetes-csi.github.io/docs/csi-driver-object.html Source of its rules:
 * pkg/registry/storage/csidriver.
 */
export const csiDriverResource = defineResource<CSIDriver>({
  scope: 'Cluster',
  versions: [v1],
  hub: v1,
  storage: { prefix: 'csidrivers', version: v1 },
  strategy: {
    allowUnconditionalUpdate: false,
    returnsDeleted: true,
    *prepare(next, old, { features }) {
      if (old && (yield* isCounted(next.spec, old.spec, features.release))) next.metadata.generation = (old.metadata.generation ?? 0) + 1
    },
    validate: validateCSIDriver,
  },
})
