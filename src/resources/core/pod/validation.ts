import type { Container, Pod, PodSchedulingGate, PodSpec, Toleration, Volume } from '../../../api/core/v1.types.ts'
import type { Int64 } from '../../../api/meta/object.ts'
import { isStepDone, type Steps } from '../../../lib/steps.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { copyGivenEmpty } from '../../../meta/empty-members.ts'
import { deepEqual, deepEqualInSteps } from '../../../meta/equal.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { forbidden, invalid, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { goChanges } from '../../shared/go-values.ts'
import { inclusiveRange, MAX_INT32 } from '../checks.ts'
import { validatePodAnnotations, validatePodAnnotationsUpdate, validateProfilesAgree } from '../pod-spec/annotations.ts'
import { validateImageTrimmed } from '../pod-spec/containers.ts'
import type { PodValidationOptions } from '../pod-spec/options.ts'
import { newPodOptions, podUpdateOptions } from '../pod-spec/options.ts'
import { validateTolerations } from '../pod-spec/scheduling.ts'
import { validatePodSpec } from '../pod-spec/validation.ts'
import { validateNodeAffinityAdditions, validateNodeSelectorAdditions } from './gated.ts'

const SPEC = fieldPath('spec')
const ANNOTATIONS = fieldPath('metadata', 'annotations')

/**
 * Validates a new pod: all rules of pods, and fields that may not be set on create, such as ephemeral containers or a
 * node of a gated pod. Profiles in annotations and fields must agree. Source: pkg/apis/core/validation in
 * k8s.io/kubernetes.
 */
export function* validatePodCreate(pod: Pod, features: Features): Steps<FieldError[]> {
  const errors = yield* validatePod(pod, newPodOptions(features))
  if (pod.spec.ephemeralContainers?.length) errors.push(forbidden(SPEC.child('ephemeralContainers'), 'cannot be set on create'))
  if (pod.spec.nodeName && pod.spec.schedulingGates?.length) {
    errors.push(forbidden(SPEC.child('nodeName'), 'cannot be set until all schedulingGates have been cleared'))
  }
  errors.push(...(yield* validateProfilesAgree(pod.metadata.annotations ?? {}, pod.spec, SPEC)))
  return errors
}

/**
 * Validates a pod, on create and on update. Errors come in this order: annotations, spec, tokens without a service
 * account, images with surrounding space.
 */
export function* validatePod(pod: Pod, options: PodValidationOptions): Steps<FieldError[]> {
  const errors: FieldError[] = []
  const { spec } = pod
  errors.push(...(yield* validatePodAnnotations(pod.metadata.annotations ?? {}, spec, ANNOTATIONS, options.allowInvalidDeletionCost)))
  for (const error of yield* validatePodSpec(spec, pod.metadata.name ?? '', SPEC, options)) errors.push(error)
  if (!spec.serviceAccountName) errors.push(...validateNoTokens(spec.volumes ?? []))
  for (const list of ['containers', 'initContainers'] as const) {
    spec[list]?.forEach((container, i) => {
      errors.push(...validateImageTrimmed(container, SPEC.child(list).index(i)))
    })
  }
  return errors
}

function validateNoTokens(volumes: readonly Volume[]): FieldError[] {
  const errors: FieldError[] = []
  volumes.forEach((volume, i) => {
    volume.projected?.sources?.forEach((source, j) => {
      const at = SPEC.child('volumes').index(i).child('projected', 'sources').index(j).child('serviceAccountToken')
      if (source.serviceAccountToken) errors.push(forbidden(at, 'must not be specified when serviceAccountName is not set'))
    })
  })
  return errors
}

/** Validates the annotations of an update in steps: first those that may not change, then those with rules. */
export function* validateAnnotationsUpdate(next: Pod, old: Pod, options: PodValidationOptions): Steps<FieldError[]> {
  const errors = yield* validatePodAnnotationsUpdate(next.metadata.annotations ?? {}, old.metadata.annotations ?? {}, ANNOTATIONS)
  errors.push(...(yield* validatePodAnnotations(next.metadata.annotations ?? {}, next.spec, ANNOTATIONS, options.allowInvalidDeletionCost)))
  return errors
}

/** Fields that the error about a forbidden change lists. */
const UPDATABLE = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
]

/**
 * Validates an update. Mutable are images, the deadline, tolerations that are added, gates that are removed, and more
 * while the pod is gated. Validation ends early where upstream's does: if containers are added or removed, the deadline
 * change is invalid, or the specs are equal. Source: pkg/apis/core/validation in k8s.io/kubernetes.
 */
export function* validatePodUpdate(next: Pod, old: Pod, features: Features): Steps<FieldError[]> {
  const options = yield* podUpdateOptions(features, next, old)
  const errors = yield* validatePod(next, options)
  yield
  errors.push(...(yield* validateAnnotationsUpdate(next, old, options)))
  for (const list of ['containers', 'initContainers'] as const) {
    const [images, before] = [next.spec[list] ?? [], old.spec[list] ?? []]
    // If containers were added or removed, nothing else is checked.
    if (images.length !== before.length) return [...errors, forbidden(SPEC.child(list), 'pod updates may not add or remove containers')]
    errors.push(...validateImages(images, SPEC.child(list)))
  }
  const deadline = validateDeadline(next.spec.activeDeadlineSeconds, old.spec.activeDeadlineSeconds)
  errors.push(...deadline)
  if (deadline.length > 0 && next.spec.activeDeadlineSeconds !== undefined) return errors
  yield
  errors.push(...(yield* validateTolerationsAdded(next.spec.tolerations ?? [], old.spec.tolerations ?? [], SPEC.child('tolerations'))))
  errors.push(...validateGatesRemoved(next.spec.schedulingGates ?? [], old.spec.schedulingGates ?? [], SPEC.child('schedulingGates')))
  if (yield* deepEqualInSteps(next.spec, old.spec)) return errors
  errors.push(...validateNarrowed(next.spec, old.spec))
  const rest = withoutUpdates(next.spec, old.spec)
  if (!(yield* deepEqualInSteps(rest, old.spec))) {
    yield
    errors.push(
      forbidden(
        SPEC,
        `pod updates may not change fields other than ${UPDATABLE.join(',')}\n${goChanges(features.release, 'core.PodSpec', old.spec, rest)}`,
      ),
    )
  }
  return errors
}

const validateImages = (containers: readonly Container[], path: FieldPath): FieldError[] =>
  containers.flatMap((container, i) => [
    ...(container.image ? [] : [required(path.index(i).child('image'))]),
    ...validateImageTrimmed(container, path.index(i)),
  ])

/** Checks a change of activeDeadlineSeconds. It may be set and shortened, but not removed or extended. */
function validateDeadline(next: Int64 | undefined, old: Int64 | undefined): FieldError[] {
  const at = SPEC.child('activeDeadlineSeconds')
  if (next === undefined) return old === undefined ? [] : [invalid(at, null, 'must not update from a positive integer to nil value')]
  if (next < 0 || next > MAX_INT32) return [invalid(at, next, inclusiveRange(0, MAX_INT32))]
  return old !== undefined && old < next ? [invalid(at, next, 'must be less than or equal to previous value')] : []
}

/** Checks that existing tolerations change only in `tolerationSeconds`. */
function* validateTolerationsAdded(next: readonly Toleration[], old: readonly Toleration[], path: FieldPath): Steps<FieldError[]> {
  const present = new Set<string>()
  for (const toleration of next) {
    if (isStepDone()) yield
    present.add(timelessText(toleration))
  }
  for (const toleration of old) {
    if (isStepDone()) yield
    if (!present.has(timelessText(toleration)))
      return [forbidden(path, 'existing toleration can not be modified except its tolerationSeconds')]
  }
  return yield* validateTolerations(next, path)
}

/** Decoded values have their members in a fixed order, so equal tolerations have the same text. */
const timelessText = ({ tolerationSeconds: _, ...toleration }: Toleration): string => JSON.stringify(toleration)

/** Checks that no gate is added: the pod may have been scheduled already. */
function validateGatesRemoved(next: readonly PodSchedulingGate[], old: readonly PodSchedulingGate[], path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  const known = new Set(old.map(({ name }) => name))
  next.forEach(({ name }, i) => {
    if (!known.has(name))
      errors.push(forbidden(path.index(i).child('name'), `only deletion is allowed, but found new scheduling gate '${name}'`))
  })
  return errors
}

/** Checks the fields that may change while the pod is gated. They may only narrow down its nodes. */
function validateNarrowed(next: PodSpec, old: PodSpec): FieldError[] {
  if (!old.schedulingGates?.length) return []
  return [
    ...validateNodeSelectorAdditions(next.nodeSelector ?? {}, old.nodeSelector ?? {}, SPEC.child('nodeSelector')),
    ...validateNodeAffinityAdditions(next.affinity?.nodeAffinity, old.affinity?.nodeAffinity, SPEC.child('affinity', 'nodeAffinity')),
  ]
}

/** Returns the new spec with mutable fields reset to the old values, so that the rest can be compared. */
function withoutUpdates(next: PodSpec, old: PodSpec): PodSpec {
  const rest = copyGivenEmpty(next, { ...next })
  if (next.containers) rest.containers = withOldImages(next.containers, old.containers)
  if (next.initContainers) rest.initContainers = withOldImages(next.initContainers, old.initContainers)
  for (const field of ['activeDeadlineSeconds', 'schedulingGates', 'tolerations'] as const) restoreField(rest, old, field)
  // A negative grace period of an old pod may be corrected to 1 only.
  if ((old.terminationGracePeriodSeconds ?? 0) < 0 && next.terminationGracePeriodSeconds === 1)
    restoreField(rest, old, 'terminationGracePeriodSeconds')
  if (!old.schedulingGates?.length) return rest
  restoreField(rest, old, 'nodeSelector')
  const before = old.affinity?.nodeAffinity
  if (deepEqual(before, next.affinity?.nodeAffinity)) return rest
  const { nodeAffinity: _, ...others } = next.affinity ?? {}
  const affinity = before === undefined ? others : { ...others, nodeAffinity: before }
  if (Object.keys(affinity).length > 0 || old.affinity) rest.affinity = next.affinity ? copyGivenEmpty(next.affinity, affinity) : affinity
  else delete rest.affinity
  return rest
}

/** Both lists have the same length. */
const withOldImages = (containers: readonly Container[], old: readonly Container[] | null | undefined): Container[] =>
  containers.map((container, i) => {
    const { image: _, ...others } = container
    const image = old?.[i]?.image
    return copyGivenEmpty(container, image === undefined ? others : { ...others, image })
  })

function restoreField<K extends OptionalField>(spec: PodSpec, old: PodSpec, field: K): void {
  if (old[field] === undefined) delete spec[field]
  else spec[field] = old[field]
}
type OptionalField = 'activeDeadlineSeconds' | 'nodeSelector' | 'schedulingGates' | 'terminationGracePeriodSeconds' | 'tolerations'
