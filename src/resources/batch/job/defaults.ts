import type { Features } from '../../../lifecycle/gates.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { MAX_INT32 } from '../../core/checks.ts'
import { defaultPodTemplate, defaultTemplateHostPorts } from '../../core/pod-spec/defaults.ts'
import type { Job, JobSpec } from '../v1.types.ts'

/** What is filled in of every JobSpec, that inside a cron job included. */
export function defaultNestedJobSpec(spec: JobSpec): void {
  for (const rule of spec.podFailurePolicy?.rules ?? []) {
    for (const pattern of rule.onPodConditions ?? []) if (!pattern.status) pattern.status = 'True'
  }
  defaultPodTemplate(spec.template)
}

/** Defaults that a release or a feature gate brought. With a failure policy, `Failed` is the only valid replacement policy. */
export function setGatedJobDefaults({ spec }: Job, features: Features): void {
  defaultTemplateHostPorts(spec.template, features)
  if (isSince(features.release, '1.29')) spec.manualSelector ??= false
  if (features.enabled('JobPodReplacementPolicy')) spec.podReplacementPolicy ??= spec.podFailurePolicy ? 'Failed' : 'TerminatingOrFailed'
}

/** One pod, unless parallelism without completions makes the job a work queue. Source: pkg/apis/batch/v1/defaults.go in k8s.io/kubernetes. */
export function setJobDefaults(object: Job): void {
  const { spec, metadata } = object
  if (spec.parallelism === undefined) {
    spec.completions ??= 1
    spec.parallelism = 1
  }
  // Where each index has a limit of its own, the job as a whole has in effect none.
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : MAX_INT32
  const labels = spec.template.metadata.labels
  // The very same map, as upstream: the labels that a new job's template is given become the job's own by it (see `prepareSelector`).
  if (labels && Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = labels
  spec.completionMode ??= 'NonIndexed'
  spec.suspend ??= false
  defaultNestedJobSpec(spec)
}
