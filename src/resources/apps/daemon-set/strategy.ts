import type { Strategy } from '../../../catalog/definition.ts'
import { deepEqual } from '../../../meta/equal.ts'
import { nameIsDnsSubdomain } from '../../../meta/names.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { dropDisabledTemplateFields } from '../../core/pod-spec/drop.ts'
import { prepareCreate, prepareUpdate } from '../shared/generation.ts'
import { templateWarnings } from '../shared/template.ts'
import { validateDaemonSet, validateDaemonSetStatus } from './validation.ts'

/** The old field templateGeneration lives on as an annotation, which only the server counts up. */
const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation'

const templateGeneration = (object: KubeObject): number => {
  const text = object.metadata.annotations?.[TEMPLATE_GENERATION] ?? ''
  return /^-?\d+$/.test(text) ? Number(text) : 0
}

const setTemplateGeneration = (object: KubeObject, n: number): void => {
  object.metadata.annotations = { ...object.metadata.annotations, [TEMPLATE_GENERATION]: String(n) }
}

export const daemonSetStrategy: Strategy = {
  validateName: nameIsDnsSubdomain,
  resetFields: [['status']],
  prepare(next, old) {
    dropDisabledTemplateFields(next.spec.template, old?.spec.template)
    if (old) {
      prepareUpdate(next, old)
      setTemplateGeneration(next, templateGeneration(old) + (deepEqual(next.spec.template, old.spec.template) ? 0 : 1))
    } else {
      prepareCreate(next, () => ({ currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 }))
      setTemplateGeneration(next, Math.max(1, templateGeneration(next)))
    }
  },
  validate: validateDaemonSet,
  warnings: templateWarnings,
}

export const daemonSetStatusStrategy: Strategy = {
  resetFields: [['spec']],
  prepare(next, old) {
    if (!old) return
    next.spec = old.spec
    setTemplateGeneration(next, templateGeneration(old))
  },
  validate: validateDaemonSetStatus,
  warnings: () => [],
}
