import type { FieldError } from '../../../meta/field-error.ts'
import { invalid } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { validateNonNegative } from '../../../meta/object-meta-validation.ts'
import { podTemplateOptions } from '../../core/pod-spec/options.ts'
import { validateAtMost, validateCounts } from '../shared/counts.ts'
import { goLabelSelector } from '../shared/go-syntax.ts'
import { validateReplicaTemplate } from '../shared/replica-template.ts'
import { selectionOf, validateSelectorGiven, validateSelectorUnchanged } from '../shared/template.ts'

export function validateReplicaSet(next: KubeObject, old: KubeObject | undefined): FieldError[] {
  const path = fieldPath('spec')
  const { spec } = next
  const errors = [...validateNonNegative(spec.replicas, path.child('replicas')), ...validateNonNegative(spec.minReadySeconds, path.child('minReadySeconds'))]
  // The text of an empty selector names deployments, as upstream's does.
  errors.push(...validateSelectorGiven(spec.selector, 'deployment', path.child('selector')))
  const selection = selectionOf(spec.selector)
  if (!selection) errors.push(invalid(path.child('selector'), goLabelSelector(spec.selector), 'invalid label selector'))
  else errors.push(...validateReplicaTemplate(spec.template, selection, path.child('template'), podTemplateOptions(old?.spec.template)))
  // An update is checked as a new one twice, as upstream does: the causes say so.
  return old ? [...errors, ...errors, ...validateSelectorUnchanged(spec.selector, old.spec.selector, path.child('selector'))] : errors
}

/** Of replica sets and replication controllers. */
export function validateReplicaStatus(next: KubeObject): FieldError[] {
  const { status } = next
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
