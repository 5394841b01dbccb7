import type { Job, JobSpec } from '../../../api/batch/v1.types.ts'
import type { Steps } from '../../../lib/steps.ts'
import { hasNoMembers } from '../../../lib/wide-objects.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { MAX_INT32 } from '../../core/checks.ts'
import { defaultPodTemplate, defaultTemplateHostPorts } from '../../core/pod-spec/defaults.ts'

/** Sets defaults of every JobSpec, including that of a cron job. */
export function defaultNestedJobSpec(spec: JobSpec): Steps<void> | undefined {
  for (const rule of spec.podFailurePolicy?.rules ?? []) {
    for (const pattern of rule.onPodConditions ?? []) if (!pattern.status) pattern.status = 'True'
  }
  return defaultPodTemplate(spec.template)
}

/**
 * Sets defaults that depend on a release or gate. With a failure policy, `Failed` is the only valid replacement policy.
 */
export function setGatedJobDefaults({ spec }: Job, features: Features): void {
  defaultTemplateHostPorts(spec.template, features)
  if (isSince(features.release, '1.29')) spec.manualSelector ??= false
  if (features.enabled('JobPodReplacementPolicy')) spec.podReplacementPolicy ??= spec.podFailurePolicy ? 'Failed' : 'TerminatingOrFailed'
}

/**
 * Sets defaults: one pod, unless parallelism without completions makes the job a work queue. Source:
 * pkg/apis/batch/v1/defaults.go in k8s.io/kubernetes.
 */
export function setJobDefaults(object: Job): Steps<void> | undefined {
  const { spec, metadata } = object
  if (spec.parallelism === undefined) {
    spec.completions ??= 1
    spec.parallelism = 1
  }
  // If each index has a limit, the job as a whole is effectively unlimited.
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : MAX_INT32
  const labels = spec.template.metadata.labels
  // Shares the map with the template, as upstream does: labels that the template of a new job gets become labels of the
  // job (see `prepareSelector`).
  if (labels && hasNoMembers(metadata.labels)) metadata.labels = labels
  spec.completionMode ??= 'NonIndexed'
  spec.suspend ??= false
  return defaultNestedJobSpec(spec)
}
