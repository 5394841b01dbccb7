import type { ReplicaSet, ReplicaSetSpec } from '../../../api/apps/v1.types.ts'
import type { PodTemplateSpec, ReplicationController } from '../../../api/core/v1.types.ts'
import type { TableDefinition } from '../../../catalog/definition.ts'
import type { HookContext } from '../../../catalog/strategy.ts'
import { age } from '../../../meta/age.ts'
import { type FieldError, invalid } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { validateNonNegative } from '../../../meta/object-meta-validation.ts'
import { field, fields, type Rule, rules } from '../../../meta/rules.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { atMost } from '../../shared/counts.ts'
import { goLabelSelector } from '../../shared/go-syntax.ts'
import { type PodValidationOptions, podTemplateOptions } from '../pod-spec/options.ts'
import { validatePodTemplateSpec } from '../pod-spec/validation.ts'
import { CONTAINER_COLUMNS, containerCells, SELECTOR_COLUMN } from './container-columns.ts'
import { type Selection, selectionOf, validateRestarting, validateSelects } from './template.ts'

/** Kinds that run a number of identical pods. */
type Replicated = ReplicaSet | ReplicationController

/**
 * Validates the template of such a kind. `kind` is its name in messages, in which a Deployment is called ReplicaSet.
 */
export function validateReplicaTemplate(
  template: PodTemplateSpec,
  selection: Selection,
  path: FieldPath,
  options: PodValidationOptions,
  kind = 'ReplicaSet',
): FieldError[] {
  return [
    ...validateSelects(selection, template, path),
    ...validatePodTemplateSpec(template, path, options),
    ...validateRestarting(template, kind, path),
  ]
}

/** Checks that the selector of such a kind can be parsed and matches the template, which is validated. */
export const validateReplicas: Rule<Pick<ReplicaSetSpec, 'selector' | 'template'>, HookContext> = (
  { selector, template },
  path,
  old,
  { features },
) => {
  const selection = selectionOf(selector)
  if (!selection) return [invalid(path.child('selector'), goLabelSelector(selector ?? {}), 'invalid label selector')]
  return validateReplicaTemplate(template, selection, path.child('template'), podTemplateOptions(features, template, old?.template))
}

/** Table of such a kind. `selector` prints its selector. */
export const replicaTable = <T extends Replicated>(selector: (object: T) => string): TableDefinition<T> => ({
  columns: [
    nameColumn,
    column('Desired', 'Desired number of pods.', 0, 'integer'),
    column('Current', 'Number of pods that exist.', 0, 'integer'),
    column('Ready', 'Number of ready pods.', 0, 'integer'),
    ageColumn,
    ...CONTAINER_COLUMNS,
    SELECTOR_COLUMN,
  ],
  cells: (object, now) => [
    object.metadata.name ?? '',
    object.spec.replicas ?? 0,
    object.status.replicas,
    object.status.readyReplicas ?? 0,
    age(object.metadata.creationTimestamp, now),
    ...containerCells(object.spec.template),
    selector(object),
  ],
})

const TOTAL = 'cannot be greater than status.replicas'

/**
 * Validates the status. No count is negative; fullyLabeled, ready and available replicas are at most `replicas`, and
 * available ones at most the ready ones. Source: pkg/apis/apps/validation in k8s.io/kubernetes.
 */
export const validateReplicaStatus = rules<Replicated>()(
  field(
    'status',
    fields(['replicas', 'fullyLabeledReplicas', 'readyReplicas', 'availableReplicas', 'observedGeneration'], validateNonNegative),
    atMost('fullyLabeledReplicas', 'replicas', TOTAL),
    atMost('readyReplicas', 'replicas', TOTAL),
    atMost('availableReplicas', 'replicas', TOTAL),
    atMost('availableReplicas', 'readyReplicas', 'cannot be greater than readyReplicas'),
  ),
)
