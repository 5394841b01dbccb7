import { defineResource } from '../../../catalog/define.ts'
import type { Strategy, TableDefinition, Version } from '../../../catalog/definition.ts'
import { age } from '../../../meta/age.ts'
import { ownMember } from '../../../meta/equal.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { keepMembers, SPEC_FIELDS, STANDARD_VERBS, STATUS_FIELDS, STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { types } from '../../types.ts'
import { roundResources } from '../resource-list.ts'
import type { ResourceQuota } from '../v1.types.ts'
import { validateQuota, validateQuotaStatus } from './validation.ts'

const resourceQuotaTable: TableDefinition<ResourceQuota> = {
  columns: [nameColumn, column('Request', 'Used and hard amounts of everything but limits.'), column('Limit', 'Used and hard amounts of limits.'), ageColumn],
  cells({ metadata, status }, now) {
    const { hard = {}, used } = status
    const requests: string[] = []
    const limits: string[] = []
    for (const [name, amount] of Object.entries(hard).sort(([a], [b]) => (a < b ? -1 : 1))) {
      const column = name.startsWith('limits.') ? limits : requests
      column.push(`${name}: ${ownMember(used, name) ?? '0'}/${amount}`)
    }
    return [metadata.name ?? '', requests.join(', '), limits.join(', '), age(metadata.creationTimestamp, now)]
  },
}

function setDefaults(quota: ResourceQuota): void {
  roundResources(quota.spec.hard)
  roundResources(quota.status.hard)
  roundResources(quota.status.used)
}

const statusStrategy: Strategy<ResourceQuota> = {
  resetFields: SPEC_FIELDS,
  prepare(next, old) {
    if (old) keepMembers(next, old, 'spec')
  },
  validate: next => validateQuotaStatus(next),
}

const v1: Version<ResourceQuota> = {
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

/**
 * What a namespace may use. Nothing here holds writes to it: the plugin ResourceQuota is not built.
 * https://kubernetes.io/docs/concepts/policy/resource-quotas/
 * Source of its rules: pkg/registry/core/resourcequota.
 */
export const resourceQuotaResource = defineResource<ResourceQuota>({
  scope: 'Namespaced',
  versions: [v1],
  hub: v1,
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
})
