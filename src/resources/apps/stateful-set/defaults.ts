import type { KubeObject } from '../../../meta/object.ts'
import { defaultPodTemplate } from '../../core/pod-spec/defaults.ts'

/** Claims inside a stateful set always name their kind, and start as a claim does. */
function defaultClaim(claim: KubeObject): void {
  claim.kind = 'PersistentVolumeClaim'
  claim.apiVersion = 'v1'
  claim.spec ??= {}
  claim.spec.volumeMode ??= 'Filesystem'
  claim.status ??= {}
  if (!claim.status.phase) claim.status.phase = 'Pending'
}

export function setStatefulSetDefaults(object: KubeObject): void {
  const { spec } = object
  if (!spec.podManagementPolicy) spec.podManagementPolicy = 'OrderedReady'
  spec.updateStrategy ??= {}
  const strategy = spec.updateStrategy
  if (!strategy.type) {
    strategy.type = 'RollingUpdate'
    strategy.rollingUpdate ??= {}
  }
  if (strategy.type === 'RollingUpdate' && strategy.rollingUpdate) strategy.rollingUpdate.partition ??= 0
  spec.persistentVolumeClaimRetentionPolicy ??= {}
  const retention = spec.persistentVolumeClaimRetentionPolicy
  if (!retention.whenDeleted) retention.whenDeleted = 'Retain'
  if (!retention.whenScaled) retention.whenScaled = 'Retain'
  spec.replicas ??= 1
  spec.revisionHistoryLimit ??= 10
  defaultPodTemplate(spec.template)
  for (const claim of spec.volumeClaimTemplates ?? []) defaultClaim(claim)
}
