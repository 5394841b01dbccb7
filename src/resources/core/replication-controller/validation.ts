import type { HookContext } from '../../../catalog/definition.ts'
import type { Steps } from '../../../lib/steps.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { covered, required } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { labelSelectorOfMap } from '../../../meta/label-selector.ts'
import { validateNonNegative } from '../../../meta/object-meta-validation.ts'
import { validateReplicaTemplate } from '../../shared/workload/replicas.ts'
import { podTemplateOptions } from '../pod-spec/options.ts'
import type { ReplicationController } from '../v1.types.ts'

/** The selector is a map of labels, which the template must have. In steps: it may have very many. Source: pkg/apis/core/validation in k8s.io/kubernetes. */
export function* validateReplicationController(
  next: ReplicationController,
  old: ReplicationController | undefined,
  { features }: HookContext,
): Steps<FieldError[]> {
  const path = fieldPath('spec')
  const { spec } = next
  const selection = labelSelectorOfMap(spec.selector)
  yield
  const template = path.child('template')
  const errors = [
    ...covered('minimum', validateNonNegative(spec.minReadySeconds, path.child('minReadySeconds'))),
    ...(selection.length === 0 ? [required(path.child('selector'))] : []),
    ...covered('minimum', validateNonNegative(spec.replicas, path.child('replicas'))),
    ...(spec.template
      ? validateReplicaTemplate(spec.template, selection, template, podTemplateOptions(features, spec.template, old?.spec.template), 'ReplicationController')
      : [required(template)]),
  ]
  // An update is checked as a new one twice, as upstream does: the causes say so.
  return old ? [...errors, ...errors] : errors
}
