import type { ResourceDefinition, TableDefinition, Version } from '../../../catalog/definition.ts'
import { age } from '../../../meta/age.ts'
import { nameIsDnsSubdomain } from '../../../meta/names.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { STANDARD_VERBS } from '../../shared/strategy-parts.ts'
import { types } from '../../types.ts'
import { validateLease } from './validation.ts'

const table: TableDefinition = {
  columns: [nameColumn, column('Holder', 'Who holds the lease.'), ageColumn],
  cells: ({ metadata, spec }, now) => [metadata.name ?? '', spec?.holderIdentity ?? '', age(metadata.creationTimestamp, now)],
}

/** Coordinated leader election is beta and off in this release; a lease that has its fields keeps them. */
function dropCoordination(next: KubeObject, old: KubeObject | undefined): void {
  for (const name of ['strategy', 'preferredHolder']) if (old?.spec[name] === undefined) delete next.spec[name]
}

const v1: Version = {
  group: 'coordination.k8s.io',
  name: 'v1',
  kind: 'Lease',
  names: { plural: 'leases', singular: 'lease' },
  verbs: STANDARD_VERBS,
  schema: types.type('coordination.Lease'),
  table,
}

export const leaseResource: ResourceDefinition = {
  scope: 'Namespaced',
  versions: [v1],
  home: v1,
  storage: { prefix: 'leases', version: v1 },
  strategy: {
    allowCreateOnUpdate: true,
    allowUnconditionalUpdate: false,
    validateName: nameIsDnsSubdomain,
    prepare: dropCoordination,
    validate: next => validateLease(next),
  },
}
