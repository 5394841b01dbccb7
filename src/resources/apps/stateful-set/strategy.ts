import type { Strategy } from '../../../catalog/definition.ts'
import { nameIsDnsLabel } from '../../../meta/names.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { dropDisabledTemplateFields } from '../../core/pod-spec/drop.ts'
import { prepareCreate, prepareUpdate } from '../shared/generation.ts'
import { templateWarnings } from '../shared/template.ts'
import { validateStatefulSet, validateStatefulSetStatus } from './validation.ts'

/** maxUnavailable is alpha in this release, and off; an object that has it keeps it. */
function dropMaxUnavailable(next: KubeObject, old: KubeObject | undefined): void {
  if (next.spec.updateStrategy?.rollingUpdate && old?.spec.updateStrategy?.rollingUpdate?.maxUnavailable === undefined) {
    delete next.spec.updateStrategy.rollingUpdate.maxUnavailable
  }
}

export const statefulSetStrategy: Strategy = {
  validateName: nameIsDnsLabel,
  resetFields: [['status']],
  prepare(next, old) {
    dropDisabledTemplateFields(next.spec.template, old?.spec.template)
    dropMaxUnavailable(next, old)
    if (old) prepareUpdate(next, old)
    else prepareCreate(next, () => ({ replicas: 0, availableReplicas: 0 }))
  },
  validate: validateStatefulSet,
  warnings(next, old) {
    const warnings = templateWarnings(next, old)
    if ((next.spec.revisionHistoryLimit ?? 0) < 0) {
      warnings.push('spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended')
    }
    return warnings
  },
}

export const statefulSetStatusStrategy: Strategy = {
  resetFields: [['spec']],
  prepare(next, old) {
    if (old) next.spec = old.spec
  },
  validate: validateStatefulSetStatus,
  warnings: () => [],
}
