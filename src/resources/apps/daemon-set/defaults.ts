import type { KubeObject } from '../../../meta/object.ts'
import { defaultPodTemplate } from '../../core/pod-spec/defaults.ts'

export function setDaemonSetDefaults(object: KubeObject): void {
  const { spec } = object
  spec.updateStrategy ??= {}
  const strategy = spec.updateStrategy
  if (!strategy.type) strategy.type = 'RollingUpdate'
  if (strategy.type === 'RollingUpdate') {
    strategy.rollingUpdate ??= {}
    strategy.rollingUpdate.maxUnavailable ??= 1
    strategy.rollingUpdate.maxSurge ??= 0
  }
  spec.revisionHistoryLimit ??= 10
  defaultPodTemplate(spec.template)
}
