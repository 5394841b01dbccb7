import { deepEqual } from '../../../meta/equal.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { forbidden, invalid, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { goChanges } from '../../shared/go-values.ts'
import type { ApiStruct, Errors } from '../checks.ts'
import { inclusiveRange, MAX_INT32 } from '../checks.ts'
import { checkPodAnnotations, checkPodAnnotationsUpdate, checkProfilesAgree } from '../pod-spec/annotations.ts'
import { checkImageTrimmed } from '../pod-spec/containers.ts'
import type { PodValidationOptions } from '../pod-spec/options.ts'
import { podOptions } from '../pod-spec/options.ts'
import { checkTolerations } from '../pod-spec/scheduling.ts'
import { checkPodSpec } from '../pod-spec/validation.ts'
import { checkNodeAffinityAdditions, checkNodeSelectorAdditions } from './gated.ts'

const SPEC = fieldPath('spec')
const ANNOTATIONS = fieldPath('metadata', 'annotations')

export function validatePodCreate(pod: KubeObject): FieldError[] {
  const errors: Errors = []
  checkPod(pod, podOptions(), errors)
  if (pod.spec.ephemeralContainers?.length) errors.push(forbidden(SPEC.child('ephemeralContainers'), 'cannot be set on create'))
  if (pod.spec.nodeName && pod.spec.schedulingGates?.length) {
    errors.push(forbidden(SPEC.child('nodeName'), 'cannot be set until all schedulingGates have been cleared'))
  }
  checkProfilesAgree(pod.metadata.annotations ?? {}, pod.spec, SPEC, errors)
  return errors
}

/** What holds of a pod at any time. */
export function checkPod(pod: KubeObject, options: PodValidationOptions, errors: Errors): void {
  const { spec } = pod
  checkPodAnnotations(pod.metadata.annotations ?? {}, spec, ANNOTATIONS, options.allowInvalidDeletionCost, errors)
  checkPodSpec(spec, pod.metadata.name ?? '', SPEC, options, errors)
  if (!spec.serviceAccountName) checkNoTokens(spec.volumes ?? [], errors)
  for (const list of ['containers', 'initContainers']) {
    const containers: ApiStruct[] = spec[list] ?? []
    containers.forEach((container, i) => {
      checkImageTrimmed(container, SPEC.child(list).index(i), errors)
    })
  }
}

function checkNoTokens(volumes: readonly ApiStruct[], errors: Errors): void {
  volumes.forEach((volume, i) => {
    const sources: ApiStruct[] = volume.projected?.sources ?? []
    sources.forEach((source, j) => {
      const at = SPEC.child('volumes').index(i).child('projected', 'sources').index(j).child('serviceAccountToken')
      if (source.serviceAccountToken) errors.push(forbidden(at, 'must not be specified when serviceAccountName is not set'))
    })
  })
}

/** Annotations of an update: those that may not change, then those that mean something. */
export function checkAnnotationsUpdate(next: KubeObject, old: KubeObject, options: PodValidationOptions, errors: Errors): void {
  checkPodAnnotationsUpdate(next.metadata.annotations ?? {}, old.metadata.annotations ?? {}, ANNOTATIONS, errors)
  checkPodAnnotations(next.metadata.annotations ?? {}, next.spec, ANNOTATIONS, options.allowInvalidDeletionCost, errors)
}

const UPDATABLE = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
]

export function validatePodUpdate(next: KubeObject, old: KubeObject): FieldError[] {
  const errors: Errors = []
  const options = podOptions(old)
  checkPod(next, options, errors)
  checkAnnotationsUpdate(next, old, options, errors)
  for (const list of ['containers', 'initContainers']) {
    if (!checkImages(next.spec[list] ?? [], old.spec[list] ?? [], SPEC.child(list), errors)) return errors
  }
  if (!checkDeadline(next.spec.activeDeadlineSeconds, old.spec.activeDeadlineSeconds, errors)) return errors
  checkTolerationsAdded(next.spec.tolerations ?? [], old.spec.tolerations ?? [], SPEC.child('tolerations'), errors)
  checkGatesRemoved(next.spec.schedulingGates ?? [], old.spec.schedulingGates ?? [], SPEC.child('schedulingGates'), errors)
  if (deepEqual(next.spec, old.spec)) return errors
  const rest = withoutUpdates(next.spec, old.spec, errors)
  if (!deepEqual(rest, old.spec)) {
    errors.push(forbidden(SPEC, `pod updates may not change fields other than ${UPDATABLE.join(',')}\n${goChanges('core.PodSpec', old.spec, rest)}`))
  }
  return errors
}

/** False where containers come or go: then nothing else is looked at. */
function checkImages(next: readonly ApiStruct[], old: readonly ApiStruct[], path: FieldPath, errors: Errors): boolean {
  if (next.length !== old.length) {
    errors.push(forbidden(path, 'pod updates may not add or remove containers'))
    return false
  }
  next.forEach((container, i) => {
    if (!container.image) errors.push(required(path.index(i).child('image')))
    checkImageTrimmed(container, path.index(i), errors)
  })
  return true
}

/** A deadline may come, and become nearer. False where nothing else is to be looked at. */
function checkDeadline(next: number | undefined, old: number | undefined, errors: Errors): boolean {
  const at = SPEC.child('activeDeadlineSeconds')
  if (next === undefined) {
    if (old !== undefined) errors.push(invalid(at, null, 'must not update from a positive integer to nil value'))
    return true
  }
  if (next < 0 || next > MAX_INT32) errors.push(invalid(at, next, inclusiveRange(0, MAX_INT32)))
  else if (old !== undefined && old < next) errors.push(invalid(at, next, 'must be less than or equal to previous value'))
  else return true
  return false
}

function checkTolerationsAdded(next: readonly ApiStruct[], old: readonly ApiStruct[], path: FieldPath, errors: Errors): void {
  const timeless = ({ tolerationSeconds: _, ...toleration }: ApiStruct): ApiStruct => toleration
  // Decoded values have their members in one order, so equal ones have the same text.
  const present = new Set(next.map(toleration => JSON.stringify(timeless(toleration))))
  const kept = old.every(toleration => present.has(JSON.stringify(timeless(toleration))))
  if (kept) checkTolerations(next, path, errors)
  else errors.push(forbidden(path, 'existing toleration can not be modified except its tolerationSeconds'))
}

function checkGatesRemoved(next: readonly ApiStruct[], old: readonly ApiStruct[], path: FieldPath, errors: Errors): void {
  const known = new Set(old.map(({ name }) => name))
  next.forEach(({ name }, i) => {
    if (!known.has(name)) errors.push(forbidden(path.index(i).child('name'), `only deletion is allowed, but found new scheduling gate '${name}'`))
  })
}

/** The new spec with what may change put back, so that the rest can be compared. Upstream checks what gated pods may change on the way. */
function withoutUpdates(next: ApiStruct, old: ApiStruct, errors: Errors): ApiStruct {
  const rest = { ...next }
  const keep = (field: string): void => {
    if (old[field] === undefined) delete rest[field]
    else rest[field] = old[field]
  }
  for (const list of ['containers', 'initContainers']) {
    if (next[list]) rest[list] = next[list].map((container: ApiStruct, i: number) => ({ ...container, image: old[list][i].image }))
  }
  for (const field of ['activeDeadlineSeconds', 'schedulingGates', 'tolerations']) keep(field)
  if (old.terminationGracePeriodSeconds < 0 && next.terminationGracePeriodSeconds === 1) keep('terminationGracePeriodSeconds')
  if (!old.schedulingGates?.length) return rest
  if (!deepEqual(next.nodeSelector, old.nodeSelector)) {
    checkNodeSelectorAdditions(next.nodeSelector ?? {}, old.nodeSelector ?? {}, SPEC.child('nodeSelector'), errors)
    keep('nodeSelector')
  }
  const [before, after] = [old.affinity?.nodeAffinity, next.affinity?.nodeAffinity]
  if (deepEqual(before, after)) return rest
  checkNodeAffinityAdditions(after, before, SPEC.child('affinity', 'nodeAffinity'), errors)
  const { nodeAffinity: _, ...others } = next.affinity ?? {}
  const affinity = before === undefined ? others : { ...others, nodeAffinity: before }
  if (Object.keys(affinity).length > 0 || old.affinity) rest.affinity = affinity
  else delete rest.affinity
  return rest
}
