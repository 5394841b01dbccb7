import type { Job } from '../../../api/batch/v1.types.ts'
import type { Container, Pod, PodTemplateSpec } from '../../../api/core/v1.types.ts'
import { COMPLETION_INDEX, IGNORED_INDEX_FAILURES, INDEX_FAILURES, TRACKING_FINALIZER } from './job-pods.ts'
import { nextIndexFailures } from './per-index.ts'
import { hasLimitPerIndex, isIndexed, type JobRules } from './rules.ts'

/** Longest prefix of a generated name: the suffix of five characters completes a name of 63. */
const LONGEST_PREFIX = 58
const INDEX_VARIABLE = 'JOB_COMPLETION_INDEX'

/**
 * Returns the template of the pods of a job, with the finalizer and, if the job is Indexed, the variable that has the
 * index.
 */
export function podTemplate({ spec }: Job, rules: JobRules): PodTemplateSpec {
  const { metadata, spec: podSpec } = spec.template
  const { finalizers = [] } = metadata
  const tracked = { ...metadata, finalizers: finalizers.includes(TRACKING_FINALIZER) ? finalizers : [...finalizers, TRACKING_FINALIZER] }
  if (spec.completionMode !== 'Indexed') return { metadata: tracked, spec: podSpec }
  const fieldPath = `metadata.${rules.podIndexLabel ? 'labels' : 'annotations'}['${COMPLETION_INDEX}']`
  const withIndex = (container: Container): Container => {
    const { env = [] } = container
    if (env.some(({ name }) => name === INDEX_VARIABLE)) return container
    return { ...container, env: [...env, { name: INDEX_VARIABLE, valueFrom: { fieldRef: { fieldPath } } }] }
  }
  const { containers, initContainers } = podSpec
  return {
    metadata: tracked,
    spec: {
      ...podSpec,
      containers: (containers ?? []).map(withIndex),
      ...(initContainers && { initContainers: initContainers.map(withIndex) }),
    },
  }
}

/**
 * Changes a pod of the template, in place, to the pod of an index. @param replaced failed pod whose number of failures it
 * continues.
 */
export function setIndex(pod: Pod, job: Job, index: number, replaced: Pod | undefined, rules: JobRules): void {
  const { metadata, spec } = pod
  const text = String(index)
  metadata.annotations ??= {}
  const { annotations } = metadata
  annotations[COMPLETION_INDEX] = text
  if (rules.podIndexLabel) {
    metadata.labels ??= {}
    metadata.labels[COMPLETION_INDEX] = text
  }
  spec.hostname = `${job.metadata.name ?? ''}-${index}`
  metadata.generateName = indexedPrefix(job.metadata.name ?? '', index)
  if (!isIndexed(job) || !hasLimitPerIndex(job, rules)) return
  const { failures, ignored } = nextIndexFailures(job, replaced, rules)
  annotations[INDEX_FAILURES] = String(failures)
  if (ignored > 0) annotations[IGNORED_INDEX_FAILURES] = String(ignored)
}

/** Prefix of the name of a pod of an Indexed job. The name of the job is cut so that the index stays. */
export function indexedPrefix(jobName: string, index: number): string {
  const suffix = `-${index}-`
  return jobName.slice(0, LONGEST_PREFIX - suffix.length) + suffix
}
