import type { KubeObject } from '../../../meta/object.ts'
import { defaultPodTemplate } from '../../core/pod-spec/defaults.ts'

export function setDeploymentDefaults(object: KubeObject): void {
  const { spec } = object
  spec.replicas ??= 1
  spec.strategy ??= {}
  const { strategy } = spec
  if (!strategy.type) strategy.type = 'RollingUpdate'
  if (strategy.type === 'RollingUpdate') {
    strategy.rollingUpdate ??= {}
    strategy.rollingUpdate.maxUnavailable ??= '25%'
    strategy.rollingUpdate.maxSurge ??= '25%'
  }
  spec.revisionHistoryLimit ??= 10
  spec.progressDeadlineSeconds ??= 600
  defaultPodTemplate(spec.template)
}
