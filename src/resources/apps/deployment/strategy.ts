import type { Strategy } from '../../../catalog/definition.ts'
import { deepEqual } from '../../../meta/equal.ts'
import { nameIsDnsSubdomain } from '../../../meta/names.ts'
import { dropDisabledTemplateFields } from '../../core/pod-spec/drop.ts'
import { prepareCreate, prepareUpdate } from '../shared/generation.ts'
import { hostNameWarnings, templateWarnings } from '../shared/template.ts'
import { validateDeployment, validateDeploymentStatus } from './validation.ts'

export const deploymentStrategy: Strategy = {
  validateName: nameIsDnsSubdomain,
  resetFields: [['status']],
  prepare(next, old) {
    dropDisabledTemplateFields(next.spec.template, old?.spec.template)
    // Annotations are copied to the replica sets, so a change of theirs is a new generation too.
    if (old) prepareUpdate(next, old, !deepEqual(next.metadata.annotations, old.metadata.annotations))
    else prepareCreate(next, () => ({}))
  },
  validate: validateDeployment,
  warnings: (next, old) => [...hostNameWarnings(next, old), ...templateWarnings(next, old)],
}

export const deploymentStatusStrategy: Strategy = {
  resetFields: [['spec'], ['metadata', 'labels']],
  prepare(next, old) {
    if (!old) return
    next.spec = old.spec
    if (old.metadata.labels) next.metadata.labels = old.metadata.labels
    else delete next.metadata.labels
  },
  validate: validateDeploymentStatus,
  warnings: () => [],
}
