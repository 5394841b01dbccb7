import type { ResourceDefinition, TableDefinition, Version } from '../../../catalog/definition.ts'
import { age } from '../../../meta/age.ts'
import { nameIsDnsSubdomain } from '../../../meta/names.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { STANDARD_VERBS, STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { types } from '../../types.ts'
import { validateServiceCIDR } from './validation.ts'

const table: TableDefinition = {
  columns: [nameColumn, column('CIDRs', 'Ranges of which services get their addresses.'), ageColumn],
  cells: ({ metadata, spec }, now) => [metadata.name ?? '', (spec?.cidrs ?? []).join(','), age(metadata.creationTimestamp, now)],
}

const v1: Version = {
  group: 'networking.k8s.io',
  name: 'v1',
  kind: 'ServiceCIDR',
  names: { plural: 'servicecidrs', singular: 'servicecidr' },
  verbs: STANDARD_VERBS,
  schema: types.type('networking.ServiceCIDR'),
  table,
  subresources: {
    status: {
      verbs: STATUS_VERBS,
      strategy: {
        resetFields: [['spec']],
        prepare(next, old) {
          if (old) next.spec = old.spec
        },
        validate: () => [],
      },
    },
  },
}

/** Differs from v1 in nothing but its name, and is the one that release 1.33 stores. */
const v1beta1: Version = { ...v1, name: 'v1beta1', schema: types.type('networkingV1beta1.ServiceCIDR') }

export const serviceCIDRResource: ResourceDefinition = {
  scope: 'Cluster',
  versions: [v1, v1beta1],
  home: v1,
  storage: { prefix: 'servicecidrs', version: v1beta1 },
  strategy: {
    validateName: nameIsDnsSubdomain,
    resetFields: [['status']],
    prepare(next, old) {
      next.status = old ? old.status : {}
    },
    validate: validateServiceCIDR,
  },
}
