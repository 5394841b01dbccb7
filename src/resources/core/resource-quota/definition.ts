import type { ResourceDefinition, Strategy, Version } from '../../../catalog/definition.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { keepMembers, SPEC_FIELDS, STANDARD_VERBS, STATUS_FIELDS, STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { types } from '../../types.ts'
import { roundResources } from '../resource-list.ts'
import { resourceQuotaTable } from './table.ts'
import { validateQuota, validateQuotaStatus } from './validation.ts'

function setDefaults(quota: KubeObject): void {
  roundResources(quota.spec?.hard)
  roundResources(quota.status?.hard)
  roundResources(quota.status?.used)
}

const statusStrategy: Strategy = {
  resetFields: SPEC_FIELDS,
  prepare(next, old) {
    if (old) keepMembers(next, old, 'spec')
  },
  validate: next => validateQuotaStatus(next),
}

const v1: Version = {
  group: '',
  name: 'v1',
  kind: 'ResourceQuota',
  names: { plural: 'resourcequotas', singular: 'resourcequota', shortNames: ['quota'] },
  verbs: STANDARD_VERBS,
  schema: types.type('core.ResourceQuota'),
  setDefaults,
  table: resourceQuotaTable,
  subresources: { status: { verbs: STATUS_VERBS, strategy: statusStrategy } },
}

export const resourceQuotaResource: ResourceDefinition = {
  scope: 'Namespaced',
  versions: [v1],
  home: v1,
  storage: { prefix: 'resourcequotas', version: v1 },
  strategy: {
    resetFields: STATUS_FIELDS,
    returnsDeleted: true,
    prepare(next, old) {
      if (old) keepMembers(next, old, 'status')
      else next.status = {}
    },
    validate: validateQuota,
  },
}
