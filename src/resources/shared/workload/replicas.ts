import type { TableDefinition } from '../../../catalog/definition.ts'
import { age } from '../../../meta/age.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { type FieldPath, fieldPath } from '../../../meta/field-path.ts'
import type { ReplicaSet } from '../../apps/v1.types.ts'
import type { PodValidationOptions } from '../../core/pod-spec/options.ts'
import { validatePodTemplateSpec } from '../../core/pod-spec/validation.ts'
import type { PodTemplateSpec, ReplicationController } from '../../core/v1.types.ts'
import { ageColumn, column, nameColumn } from '../columns.ts'
import { validateAtMost, validateCounts } from '../counts.ts'
import { containerCells } from './cells.ts'
import { CONTAINER_COLUMNS, SELECTOR_COLUMN } from './columns.ts'
import { type Selection, validateRestarting, validateSelects } from './template.ts'

/** Kinds that run a number of identical pods. */
type Replicated = ReplicaSet | ReplicationController

/** Validates the template of such a kind. `kind` is its name in messages, in which a Deployment is called ReplicaSet. */
export function validateReplicaTemplate(
  template: PodTemplateSpec,
  selection: Selection,
  path: FieldPath,
  options: PodValidationOptions,
  kind = 'ReplicaSet',
): FieldError[] {
  return [...validateSelects(selection, template, path), ...validatePodTemplateSpec(template, path, options), ...validateRestarting(template, kind, path)]
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

/**
 * Validates the status. No count is negative; fullyLabeled, ready and available replicas are at most `replicas`, and available ones at most the ready ones.
 * Source: pkg/apis/apps/validation in k8s.io/kubernetes.
 */
export function validateReplicaStatus({ status }: Replicated): FieldError[] {
  const path = fieldPath('status')
  const total = 'cannot be greater than status.replicas'
  return [
    ...validateCounts(status, ['replicas', 'fullyLabeledReplicas', 'readyReplicas', 'availableReplicas', 'observedGeneration'], path),
    ...validateAtMost(status, 'fullyLabeledReplicas', 'replicas', total, path),
    ...validateAtMost(status, 'readyReplicas', 'replicas', total, path),
    ...validateAtMost(status, 'availableReplicas', 'replicas', total, path),
    ...validateAtMost(status, 'availableReplicas', 'readyReplicas', 'cannot be greater than readyReplicas', path),
  ]
}
