import type { ResourceQuota } from '../../../api/core/v1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { TableDefinition, Version } from '../../../catalog/definition.ts'
import type { Strategy } from '../../../catalog/strategy.ts'
import { types } from '../../../catalog/types.ts'
import type { Steps } from '../../../lib/steps.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { age } from '../../../meta/age.ts'
import { ownMember } from '../../../meta/equal.ts'
import { compareQuantity } from '../../../meta/quantity.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { keepMembers, SPEC_FIELDS, STANDARD_VERBS, STATUS_FIELDS, STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { roundResourcesInSteps } from '../resource-list.ts'
import { validateQuota, validateQuotaStatus } from './validation.ts'

const resourceQuotaTable: TableDefinition<ResourceQuota> = {
  columns: [
    nameColumn,
    column('Request', 'Used and hard amounts of everything but limits.'),
    column('Limit', 'Used and hard amounts of limits.'),
    ageColumn,
  ],
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

function* setQuotaDefaults({ spec, status }: ResourceQuota): Steps<void> {
  for (const amounts of [spec.hard, status.hard, status.used]) if (amounts) yield* roundResourcesInSteps(amounts)
}

const statusStrategy: Strategy<ResourceQuota> = {
  resetFields: SPEC_FIELDS,
  prepare(next, old) {
    if (old) keepMembers(next, old, 'spec')
  },
  validate: next => validateQuotaStatus(next),
}

/** Resources whose requests and limits are compared, in this order. Those in BARE may be named without `requests.`. */
const COMPARED = ['cpu', 'memory', 'storage', 'ephemeral-storage']
const BARE = new Set(['cpu', 'memory'])

/** Warnings for requests that exceed the limits, and so cannot be used up. */
function quotaWarnings({ spec: { hard = {} } }: ResourceQuota): string[] {
  return COMPARED.flatMap(name => {
    const requested = hard[`requests.${name}`] === undefined && BARE.has(name) ? name : `requests.${name}`
    const [request, limit] = [hard[requested], hard[`limits.${name}`]]
    if (request === undefined || limit === undefined || compareQuantity(request, limit) <= 0) return []
    return [`ResourceQuota ${requested} (${request}) should be less than limits.${name} (${limit})`]
  })
}

/** Before 1.33 the age was the second column. */
const oldQuotaTable: TableDefinition<ResourceQuota> = {
  columns: moveLastBehindName(resourceQuotaTable.columns),
  cells: (quota, now) => moveLastBehindName(resourceQuotaTable.cells(quota, now)),
}

function moveLastBehindName<T>(items: readonly T[]): T[] {
  return [...items.slice(0, 1), ...items.slice(-1), ...items.slice(1, -1)]
}

const v1: Version<ResourceQuota> = {
  group: '',
  name: 'v1',
  kind: 'ResourceQuota',
  names: { plural: 'resourcequotas', singular: 'resourcequota', shortNames: ['quota'] },
  verbs: STANDARD_VERBS,
  schema: types.type('core.ResourceQuota'),
  setDefaults: setQuotaDefaults,
  table: resourceQuotaTable,
  tableIn: release => (isSince(release, '1.33') ? resourceQuotaTable : oldQuotaTable),
  subresources: { status: { verbs: STATUS_VERBS, strategy: statusStrategy } },
}

/**
 * Limits on the resources that a namespace may use. The admission plugin enforces them (`admission-plugin.ts`), and the
 * controller recounts the usage (`controllers/resource-quota`).
 * https://kubernetes.io/docs/concepts/policy/resource-quotas/ Source of its rules: pkg/registry/core/resourcequota.
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
    warnings: (next, old, { features }) => (old || !isSince(features.release, '1.35') ? [] : quotaWarnings(next)),
  },
})
