import type { PodDisruptionBudget } from '../../../api/policy/v1.types.ts'
import type { PodDisruptionBudget as PodDisruptionBudgetV1beta1 } from '../../../api/policy/v1beta1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { TableDefinition, Version } from '../../../catalog/definition.ts'
import type { Strategy } from '../../../catalog/strategy.ts'
import { types } from '../../../catalog/types.ts'
import { age } from '../../../meta/age.ts'
import { nameIsPathSegment } from '../../../meta/names.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { prepareCreate, prepareUpdate } from '../../shared/spec-generation.ts'
import { keepSpec, SPEC_FIELDS, STANDARD_VERBS, STATUS_FIELDS, STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { budgetToV1, dropSelectorLabel, fromV1 } from './v1beta1.ts'
import { validatePodDisruptionBudget, validatePodDisruptionBudgetConditions, validatePodDisruptionBudgetStatus } from './validation.ts'

const podDisruptionBudgetStrategy: Strategy<PodDisruptionBudget> = {
  // Only the rules of all names apply.
  validateName: nameIsPathSegment,
  judgesMetaLast: true,
  plainFinalizers: true,
  metaRounds: [],
  allowUnconditionalUpdate: false,
  resetFields: STATUS_FIELDS,
  prepare(next, old) {
    return old
      ? prepareUpdate(next, old)
      : prepareCreate(next, { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 })
  },
  validate: validatePodDisruptionBudget,
}

const podDisruptionBudgetStatusStrategy: Strategy<PodDisruptionBudget> = {
  metaRounds: [],
  allowUnconditionalUpdate: false,
  resetFields: SPEC_FIELDS,
  prepare: keepSpec,
  validate: validatePodDisruptionBudgetStatus,
}

const amount = (value: number | string | undefined): string => (value === undefined ? 'N/A' : String(value))

const table: TableDefinition<PodDisruptionBudget> = {
  columns: [
    nameColumn,
    column('Min Available', 'Number of pods that must be available.'),
    column('Max Unavailable', 'Number of pods that may be unavailable.'),
    column('Allowed Disruptions', 'Number of pods that may currently be evicted.', 0, 'integer'),
    ageColumn,
  ],
  cells: ({ metadata, spec, status }, now) => [
    metadata.name ?? '',
    amount(spec.minAvailable),
    amount(spec.maxUnavailable),
    status.disruptionsAllowed,
    age(metadata.creationTimestamp, now),
  ],
}

const v1: Version<PodDisruptionBudget> = {
  group: 'policy',
  name: 'v1',
  kind: 'PodDisruptionBudget',
  names: { plural: 'poddisruptionbudgets', singular: 'poddisruptionbudget', shortNames: ['pdb'] },
  verbs: STANDARD_VERBS,
  schema: types.type('policy.PodDisruptionBudget'),
  setDefaults: dropSelectorLabel,
  table,
  subresources: { status: { verbs: STATUS_VERBS, strategy: podDisruptionBudgetStatusStrategy } },
}

/**
 * In v1beta1 the empty selector matches no pods, and the counts of the status are not validated. Served until 1.24, and
 * stored until 1.26.
 */
const v1beta1: Version<PodDisruptionBudgetV1beta1, PodDisruptionBudget> = {
  group: v1.group,
  name: 'v1beta1',
  kind: v1.kind,
  names: v1.names,
  verbs: STANDARD_VERBS,
  schema: types.type('policyV1beta1.PodDisruptionBudget'),
  toHub: budgetToV1,
  fromHub: fromV1,
  subresources: {
    status: { verbs: STATUS_VERBS, strategy: { ...podDisruptionBudgetStatusStrategy, validate: validatePodDisruptionBudgetConditions } },
  },
}

/**
 * Limits the number of pods that are disrupted at one time. Evictions take from its status (core/pod/disruption.ts),
 * which a controller recounts.
 * https://kubernetes.io/docs/reference/kubernetes-api/policy-resources/pod-disruption-budget-v1/ Source of its rules:
 * pkg/registry/policy/poddisruptionbudget.
 */
export const podDisruptionBudgetResource = defineResource<PodDisruptionBudget>({
  scope: 'Namespaced',
  versions: [v1, v1beta1],
  hub: v1,
  storage: { prefix: 'poddisruptionbudgets', version: v1 },
  strategy: podDisruptionBudgetStrategy,
})
