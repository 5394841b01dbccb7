import type { FieldError } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import type { KubeObject } from '../../../meta/object.ts'
import type { PodValidationOptions } from '../../core/pod-spec/options.ts'
import { validatePodTemplateSpec } from '../../core/pod-spec/validation.ts'
import { type Selection, validateRestarting, validateSelects } from './template.ts'

/** The template of a kind that keeps a number of equal pods. `kind`: as the texts name it (a Deployment's texts say ReplicaSet). */
export function validateReplicaTemplate(
  template: KubeObject['spec'],
  selection: Selection,
  path: FieldPath,
  options: PodValidationOptions,
  kind = 'ReplicaSet',
): FieldError[] {
  return [...validateSelects(selection, template, path), ...validatePodTemplateSpec(template, path, options), ...validateRestarting(template, kind, path)]
}
