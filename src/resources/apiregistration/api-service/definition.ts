import type { APIService, APIServiceCondition, APIServiceStatus } from '../../../api/apiregistration/v1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { TableDefinition, Version } from '../../../catalog/definition.ts'
import type { Strategy } from '../../../catalog/strategy.ts'
import { types } from '../../../catalog/types.ts'
import { age } from '../../../meta/age.ts'
import { formatTime } from '../../../meta/time.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { statusAloneStrategy } from '../../shared/status-metadata.ts'
import { STANDARD_VERBS, STATUS_FIELDS, STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { validateApiService, validateApiServiceStatus } from './validation.ts'

/** Condition of a version that this server serves, which is available from the start. */
const localCondition = (now: number): APIServiceCondition => ({
  type: 'Available',
  status: 'True',
  lastTransitionTime: formatTime(now),
  reason: 'Local',
  message: 'Local APIServices are always available',
})

const apiServiceStrategy: Strategy<APIService> = {
  allowUnconditionalUpdate: false,
  metaRounds: ['change', 'whole'],
  plainFinalizers: true,
  resetFields: STATUS_FIELDS,
  /** The required name depends on the spec, and is checked in `validate`. */
  validateName: () => [],
  prepare(next, old, { now }) {
    next.status = old ? old.status : next.spec.service ? {} : { conditions: [localCondition(now)] }
  },
  validate: validateApiService,
}

const apiServiceStatusStrategy = statusAloneStrategy<APIService>({ allowUnconditionalUpdate: false, validate: validateApiServiceStatus })

/** Prints `True`, or the status and reason of the condition. */
function availableCell({ conditions = [] }: APIServiceStatus): string {
  const condition = conditions.find(({ type }) => type === 'Available')
  if (!condition) return 'Unknown'
  return condition.status === 'True' || !condition.reason ? condition.status : `${condition.status} (${condition.reason})`
}

const table: TableDefinition<APIService> = {
  columns: [
    nameColumn,
    column('Service', 'Service that serves the version, or Local.'),
    column('Available', 'Whether the version is available.'),
    ageColumn,
  ],
  cells: ({ metadata, spec, status }, now) => [
    metadata.name ?? '',
    spec.service ? `${spec.service.namespace ?? ''}/${spec.service.name ?? ''}` : 'Local',
    availableCell(status),
    age(metadata.creationTimestamp, now),
  ],
}

const v1: Version<APIService> = {
  group: 'apiregistration.k8s.io',
  name: 'v1',
  kind: 'APIService',
  names: { plural: 'apiservices', singular: 'apiservice' },
  categories: ['api-extensions'],
  verbs: STANDARD_VERBS,
  schema: types.type('apiregistration.APIService'),
  setDefaults({ spec }) {
    if (spec.service) spec.service.port ??= 443
  },
  table,
  subresources: { status: { verbs: STATUS_VERBS, strategy: apiServiceStatusStrategy } },
}

/**
 * Registers the server of a group version. controllers/api-services.ts creates those of this server;
 * extensions/aggregation proxies requests to others.
 * https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/api-service-v1/ Source of its rules:
 * staging/src/k8s.io/kube-aggregator/pkg/registry/apiservice.
 */
export const apiServiceResource = defineResource<APIService>({
  scope: 'Cluster',
  versions: [v1],
  hub: v1,
  storage: { prefix: 'apiregistration.k8s.io/apiservices', version: v1 },
  strategy: apiServiceStrategy,
})
