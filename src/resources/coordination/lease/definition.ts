import type { Lease } from '../../../api/coordination/v1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { TableDefinition, Version } from '../../../catalog/definition.ts'
import { types } from '../../../catalog/types.ts'
import { age } from '../../../meta/age.ts'
import { nameIsDnsSubdomain } from '../../../meta/names.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { STANDARD_VERBS } from '../../shared/strategy-parts.ts'
import { validateLease } from './validation.ts'

const table: TableDefinition<Lease> = {
  columns: [nameColumn, column('Holder', 'Holder of the lease.'), ageColumn],
  cells: ({ metadata, spec }, now) => [metadata.name ?? '', spec.holderIdentity ?? '', age(metadata.creationTimestamp, now)],
}

const v1: Version<Lease> = {
  group: 'coordination.k8s.io',
  name: 'v1',
  kind: 'Lease',
  names: { plural: 'leases', singular: 'lease' },
  verbs: STANDARD_VERBS,
  schema: types.type('coordination.Lease'),
  table,
}

/**
 * A lock with a holder and a duration. Clients renew it with PUT, which creates it if it does not exist.
 * https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/lease-v1/
 * Source of its rules: pkg/registry/coordination/lease.
 */
export const leaseResource = defineResource<Lease>({
  scope: 'Namespaced',
  versions: [v1],
  hub: v1,
  storage: { prefix: 'leases', version: v1 },
  strategy: {
    plainFinalizers: true,
    allowCreateOnUpdate: true,
    allowUnconditionalUpdate: false,
    validateName: nameIsDnsSubdomain,
    validate: validateLease,
  },
})
