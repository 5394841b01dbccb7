import type { ResourceDefinition, TableDefinition, Version } from '../../../catalog/definition.ts'
import { nameIsDnsSubdomain } from '../../../meta/names.ts'
import { age } from '../../age.ts'
import { AGE_COLUMN, column, NAME_COLUMN } from '../../apps/shared/columns.ts'
import { ALL_VERBS, STATUS_VERBS } from '../../apps/shared/kind.ts'
import { types } from '../../types.ts'
import { validateServiceCIDR } from './validation.ts'

const table: TableDefinition = {
  columns: [NAME_COLUMN, column('CIDRs', 'string', 'Ranges of which services get their addresses.'), AGE_COLUMN],
  cells: ({ metadata, spec }, now) => [metadata.name ?? '', (spec?.cidrs ?? []).join(','), age(metadata.creationTimestamp, now)],
}

const v1: Version = {
  group: 'networking.k8s.io',
  name: 'v1',
  kind: 'ServiceCIDR',
  names: { plural: 'servicecidrs', singular: 'servicecidr' },
  verbs: ALL_VERBS,
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

export const serviceCIDRResource: ResourceDefinition = {
  scope: 'Cluster',
  versions: [v1],
  home: v1,
  storage: { prefix: 'servicecidrs', version: v1 },
  strategy: {
    validateName: nameIsDnsSubdomain,
    resetFields: [['status']],
    prepare(next, old) {
      next.status = old ? old.status : {}
    },
    validate: validateServiceCIDR,
  },
}
