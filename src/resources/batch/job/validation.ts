import type { Job, JobSpec } from '../../../api/batch/v1.types.ts'
import type { Affinity, PodSpec, PodTemplateSpec } from '../../../api/core/v1.types.ts'
import type { HookContext } from '../../../catalog/strategy.ts'
import type { Steps } from '../../../lib/steps.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { deepEqual, deepEqualBySize, deepEqualInSteps } from '../../../meta/equal.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { immutableError, invalid, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { validateLabelSelector } from '../../../meta/label-selector.ts'
import { isDns1123Label } from '../../../meta/names.ts'
import { validateImmutableField } from '../../../meta/object-meta-validation.ts'
import { podTemplateOptions } from '../../core/pod-spec/options.ts'
import { changedSelectorError, selectionOf, validateSelects } from '../../core/workload/template.ts'
import { goMember, goValue } from '../../shared/go-values.ts'
import { selectorRules } from '../../shared/selector-rules.ts'
import { keepMembers } from '../../shared/strategy-parts.ts'
import { hasTrueCondition } from './conditions.ts'
import { validateGeneratedSelector } from './generated-selector.ts'
import { validateJobSpecParts } from './spec-validation.ts'
import { validateTracking } from './tracking.ts'

const SPEC = fieldPath('spec')
/** Immutable fields, in the order of their errors. */
const FIXED = ['completionMode', 'podFailurePolicy', 'backoffLimitPerIndex', 'managedBy', 'successPolicy'] as const

/** Validates the spec, with its selector, which is required and must match the labels of the template. */
function validateJobSpec(spec: JobSpec, old: JobSpec | undefined, features: Features, path: FieldPath): FieldError[] {
  const errors = validateJobSpecParts(spec, path, podTemplateOptions(features, spec.template, old?.template))
  if (spec.selector) errors.push(...validateLabelSelector(spec.selector, path.child('selector'), selectorRules(features, old?.selector)))
  else errors.push(required(path.child('selector')))
  const selection = selectionOf(spec.selector)
  return selection ? [...errors, ...validateSelects(selection, spec.template, path.child('template'))] : errors
}

/**
 * Validates the hostnames of an indexed job's pods, which consist of its name and their index. The last index has the
 * longest.
 */
function validateHostNames({ metadata, spec }: Job): FieldError[] {
  const { completionMode, completions = 0 } = spec
  if (completionMode !== 'Indexed' || completions <= 0) return []
  const longest = `${metadata.name ?? ''}-${completions - 1}`
  if (isDns1123Label(longest).length === 0) return []
  return [invalid(fieldPath('metadata', 'name'), metadata.name ?? '', `will not able to create pod with invalid DNS label: ${longest}`)]
}

/**
 * Validates a change of completions. In an indexed job they may change only together with parallelism, to the same
 * value (KEP-3715, since 1.27 by default). In other jobs they are immutable.
 */
function validateCompletions(spec: JobSpec, old: JobSpec, features: Features, path: FieldPath): FieldError[] {
  if (spec.completionMode !== 'Indexed' || !features.enabled('ElasticIndexedJob'))
    return validateImmutableField(spec.completions, old.completions, path)
  if (spec.completions === undefined || spec.completions === old.completions || spec.completions === spec.parallelism) return []
  return [invalid(path, spec.completions, 'can only be modified in tandem with spec.parallelism')]
}

/** Returns the old affinity with the new node affinity, or undefined if it is empty. Pod affinity does not change. */
function withNodeAffinity(old: Affinity | undefined, next: Affinity | undefined): Affinity | undefined {
  if (!old && !next) return undefined
  const { nodeAffinity: _, ...kept } = old ?? {}
  if (!next) return kept.podAffinity || kept.podAntiAffinity ? kept : undefined
  return next.nodeAffinity === undefined ? kept : { ...kept, nodeAffinity: next.nodeAffinity }
}

/**
 * Returns the old template with the mutable parts of the new one: where its pods may run, labels and annotations. Other
 * parts are shared with the old one.
 */
function withScheduling(old: PodTemplateSpec, next: PodTemplateSpec): PodTemplateSpec {
  const template = { ...old, metadata: { ...old.metadata }, spec: { ...old.spec } }
  const affinity = withNodeAffinity(template.spec.affinity, next.spec.affinity)
  if (affinity) template.spec.affinity = affinity
  else delete template.spec.affinity
  keepMembers(template.spec, next.spec, 'nodeSelector', 'tolerations', 'schedulingGates')
  keepMembers(template.metadata, next.metadata, 'annotations', 'labels')
  return template
}

/**
 * Returns the old pod spec with the resources of the new one, for containers with the same index and name. A list with
 * another number of containers is unchanged. Other parts are shared with the old one.
 */
function withResources(old: PodSpec, next: PodSpec): PodSpec {
  const pod = { ...old }
  for (const list of ['containers', 'initContainers'] as const) {
    const wanted = next[list] ?? []
    const containers = old[list]
    if (!containers || wanted.length !== containers.length) continue
    pod[list] = containers.map((container, i) => {
      const from = wanted[i]
      if (from?.name !== container.name) return container
      const kept = { ...container }
      keepMembers(kept, from, 'resources')
      return kept
    })
  }
  return pod
}

/**
 * Returns the mutable parts of a job's template. While the job is suspended, scheduling directives may change before it
 * starts (KEP-2926), and since 1.36 also later if no pod is active, together with resources (KEP-5440). Since 1.37 they
 * may change as soon as `suspend` is set.
 */
function mutableParts({ spec, status }: Job, features: Features): { readonly scheduling: boolean; readonly resources: boolean } {
  const notStarted = !status?.startTime
  const suspended = spec.suspend === true
  const idle = suspended && (notStarted || hasTrueCondition(status, 'Suspended')) && (status?.active ?? 0) === 0
  return {
    scheduling: features.enabled('MutableSchedulingDirectivesForSuspendedJobs')
      ? idle || (suspended && isSince(features.release, '1.37'))
      : suspended && notStarted,
    resources: features.enabled('MutablePodResourcesForSuspendedJobs') && idle,
  }
}

/**
 * Checks that only mutable parts of the template change. If these include resources, upstream compares only the pod
 * specs, so labels and annotations may change as well.
 */
function* validateTemplateUpdate(next: Job, old: Job, features: Features, path: FieldPath): Steps<FieldError[]> {
  const mutable = mutableParts(old, features)
  const { template } = next.spec
  const before = mutable.scheduling ? withScheduling(old.spec.template, template) : old.spec.template
  if (!mutable.resources)
    return (yield* deepEqualInSteps(template, before)) ? [] : [immutableError(path, goValue('core.PodTemplateSpec', template))]
  const isSame = yield* deepEqualInSteps(template.spec, withResources(before.spec, template.spec))
  return isSame ? [] : [immutableError(path.child('spec'), goValue('core.PodSpec', template.spec))]
}

/** The new spec is validated as a whole before it is compared with the old one. */
function* validateJobUpdate(next: Job, old: Job, features: Features): Steps<FieldError[]> {
  const { spec } = next
  const unchanged = (name: keyof JobSpec): FieldError[] =>
    deepEqual(spec[name], old.spec[name]) ? [] : [immutableError(SPEC.child(name), goMember('batch.JobSpec', name, spec[name]))]
  return [
    ...validateJobSpec(spec, old.spec, features, SPEC),
    ...validateCompletions(spec, old.spec, features, SPEC.child('completions')),
    ...((yield* deepEqualBySize(spec.selector, old.spec.selector)) ? [] : [changedSelectorError(spec.selector, SPEC.child('selector'))]),
    ...(yield* validateTemplateUpdate(next, old, features, SPEC.child('template'))),
    ...FIXED.flatMap(unchanged),
  ]
}

/**
 * Validates a Job. An update is validated like a create, and then again: upstream reports errors of the spec twice.
 * Source: pkg/apis/batch/validation in k8s.io/kubernetes.
 */
export function* validateJob(next: Job, old: Job | undefined, { features }: HookContext): Steps<FieldError[]> {
  const errors = [
    ...validateGeneratedSelector(next, old, features.release),
    ...validateJobSpec(next.spec, old?.spec, features, SPEC),
    ...validateTracking(next, old, features),
    ...validateHostNames(next),
  ]
  return old ? [...errors, ...(yield* validateJobUpdate(next, old, features))] : errors
}
