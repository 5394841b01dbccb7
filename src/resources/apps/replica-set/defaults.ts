import type { KubeObject } from '../../../meta/object.ts'
import { defaultPodTemplate } from '../../core/pod-spec/defaults.ts'

export function setReplicaSetDefaults(object: KubeObject): void {
  object.spec.replicas ??= 1
  defaultPodTemplate(object.spec.template)
}
