import type { StatefulSet } from '../../../api/apps/v1.types.ts'
import type { PersistentVolumeClaim } from '../../../api/core/v1.types.ts'
import type { Embedded } from '../../../api/meta/object.ts'
import type { Steps } from '../../../lib/steps.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { defaultPodTemplate, defaultTemplateHostPorts } from '../../core/pod-spec/defaults.ts'

/** Sets the defaults of a claim template, which include kind and apiVersion. */
function defaultClaim(claim: Embedded<PersistentVolumeClaim>): void {
  claim.kind = 'PersistentVolumeClaim'
  claim.apiVersion = 'v1'
  claim.spec.volumeMode ??= 'Filesystem'
  if (!claim.status.phase) claim.status.phase = 'Pending'
}

/**
 * Sets defaults: ordered pod management, rolling updates, ten revisions of history. If the client sets RollingUpdate
 * without parameters, none are added. Source: pkg/apis/apps/v1/defaults.go in k8s.io/kubernetes.
 */
export function setStatefulSetDefaults(object: StatefulSet): Steps<void> | undefined {
  const { spec } = object
  if (!spec.podManagementPolicy) spec.podManagementPolicy = 'OrderedReady'
  const strategy = spec.updateStrategy
  if (!strategy.type) {
    strategy.type = 'RollingUpdate'
    strategy.rollingUpdate ??= {}
  }
  if (strategy.type === 'RollingUpdate' && strategy.rollingUpdate) strategy.rollingUpdate.partition ??= 0
  spec.replicas ??= 1
  spec.revisionHistoryLimit ??= 10
  for (const claim of spec.volumeClaimTemplates ?? []) defaultClaim(claim)
  return defaultPodTemplate(spec.template)
}

/**
 * Sets defaults that depend on gates: claims are retained, and maxUnavailable is 1 if a rolling update has parameters.
 */
export function setGatedStatefulSetDefaults({ spec }: StatefulSet, features: Features): void {
  defaultTemplateHostPorts(spec.template, features)
  if (features.enabled('StatefulSetAutoDeletePVC')) {
    spec.persistentVolumeClaimRetentionPolicy ??= {}
    const retention = spec.persistentVolumeClaimRetentionPolicy
    if (!retention.whenDeleted) retention.whenDeleted = 'Retain'
    if (!retention.whenScaled) retention.whenScaled = 'Retain'
  }
  const { updateStrategy: strategy } = spec
  if (!features.enabled('MaxUnavailableStatefulSet') || (strategy.type && strategy.type !== 'RollingUpdate')) return
  if (!strategy.type) strategy.rollingUpdate ??= {}
  if (strategy.rollingUpdate) strategy.rollingUpdate.maxUnavailable ??= 1
}
