import type { DaemonSet } from '../../../api/apps/v1.types.ts'
import type { Steps } from '../../../lib/steps.ts'
import { defaultPodTemplate } from '../../core/pod-spec/defaults.ts'
import { setTemplateGeneration, templateGeneration } from './template-generation.ts'

/**
 * Sets defaults: rolling updates of one node at a time, and ten revisions of history. Source:
 * pkg/apis/apps/v1/defaults.go in k8s.io/kubernetes.
 */
export function setDaemonSetDefaults(object: DaemonSet): Steps<void> | undefined {
  const { spec } = object
  const strategy = spec.updateStrategy
  if (!strategy.type) strategy.type = 'RollingUpdate'
  if (strategy.type === 'RollingUpdate') {
    strategy.rollingUpdate ??= {}
    strategy.rollingUpdate.maxUnavailable ??= 1
    strategy.rollingUpdate.maxSurge ??= 0
  }
  spec.revisionHistoryLimit ??= 10
  setTemplateGeneration(object, templateGeneration(object))
  return defaultPodTemplate(spec.template)
}
