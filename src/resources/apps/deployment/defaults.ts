import type { Deployment } from '../../../api/apps/v1.types.ts'
import type { Steps } from '../../../lib/steps.ts'
import { defaultPodTemplate } from '../../core/pod-spec/defaults.ts'

/**
 * Sets defaults: one replica, rolling updates with 25% surge and unavailability, ten revisions of history, and a
 * progress deadline of ten minutes. Source: pkg/apis/apps/v1/defaults.go in k8s.io/kubernetes.
 */
export function setDeploymentDefaults(object: Deployment): Steps<void> | undefined {
  const { spec } = object
  spec.replicas ??= 1
  const { strategy } = spec
  if (!strategy.type) strategy.type = 'RollingUpdate'
  if (strategy.type === 'RollingUpdate') {
    strategy.rollingUpdate ??= {}
    strategy.rollingUpdate.maxUnavailable ??= '25%'
    strategy.rollingUpdate.maxSurge ??= '25%'
  }
  spec.revisionHistoryLimit ??= 10
  spec.progressDeadlineSeconds ??= 600
  return defaultPodTemplate(spec.template)
}
