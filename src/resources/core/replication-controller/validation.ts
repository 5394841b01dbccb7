import type { ReplicationController } from '../../../api/core/v1.types.ts'
import type { HookContext } from '../../../catalog/strategy.ts'
import type { Steps } from '../../../lib/steps.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { covered, required } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { labelSelectorOfMap } from '../../../meta/label-selector.ts'
import { validateNonNegative } from '../../../meta/object-meta-validation.ts'
import { podTemplateOptions } from '../pod-spec/options.ts'
import { validateLargeTemplate } from '../pod-spec/validation.ts'
import { validateReplicaTemplate } from '../workload/replicas.ts'

/**
 * Validates a ReplicationController. The template must have the labels of the selector. Runs in steps, since the
 * selector may be large. Source: pkg/apis/core/validation in k8s.io/kubernetes.
 */
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
  const { template: given } = spec
  const options = given && podTemplateOptions(features, given, old?.spec.template)
  if (given && options) yield* validateLargeTemplate(given, template, options)
  const errors = [
    ...covered('minimum', validateNonNegative(spec.minReadySeconds, path.child('minReadySeconds'))),
    ...(selection.length === 0 ? [required(path.child('selector'))] : []),
    ...covered('minimum', validateNonNegative(spec.replicas, path.child('replicas'))),
    ...(given && options ? validateReplicaTemplate(given, selection, template, options, 'ReplicationController') : [required(template)]),
  ]
  // Upstream validates an updated object twice, and reports every error twice.
  return old ? [...errors, ...errors] : errors
}
