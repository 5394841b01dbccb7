import type { AppArmorProfile, PodSpec, SeccompProfile } from '../../../api/core/v1.types.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import { isStepDone, type Steps } from '../../../lib/steps.ts'
import { memberNames } from '../../../lib/wide-objects.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { forbidden, invalid } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { validateDescendingPath } from '../volume/paths.ts'
import { validateTolerations } from './scheduling.ts'
import { allContainers, containersWithPath } from './visit.ts'

type Annotations = Readonly<Record<string, string>>

/** Annotation of a mirror pod: the copy of a kubelet's static pod in the API. */
export const MIRROR_POD = 'kubernetes.io/config.mirror'
/**
 * Prefixes and keys of deprecated annotations, which fields of the security context replaced. The name of a container
 * follows the prefix.
 */
export const APP_ARMOR_PREFIX = 'container.apparmor.security.beta.kubernetes.io/'
/** Key of the pod's profile. Those of containers have the prefix below. */
export const SECCOMP_POD = 'seccomp.security.alpha.kubernetes.io/pod'
export const SECCOMP_CONTAINER_PREFIX = 'container.seccomp.security.alpha.kubernetes.io/'
const TOLERATIONS = 'scheduler.alpha.kubernetes.io/tolerations'
const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost'

/** Returns the error in the deletion cost, if any. A leading plus or zero is as invalid as a letter. */
export function deletionCostError(annotations: Annotations | undefined): string | undefined {
  const value = annotations?.[DELETION_COST]
  if (value === undefined) return undefined
  const good = /^(0|-[0-9]+|[1-9][0-9]*)$/.test(value) && Number(value) >= -(2 ** 31) && Number(value) < 2 ** 31
  return good ? undefined : 'must be a 32bit integer'
}

/**
 * Validates annotations that have a meaning for pods, in steps; `path` is the path of the annotations. AppArmor keys
 * must name containers of the spec. Upstream’s paths write the keys of seccomp and tolerations as children
 * (`annotations.key`), and the others as subscripts (`annotations[key]`).
 */
export function* validatePodAnnotations(
  annotations: Annotations,
  spec: PodSpec,
  path: FieldPath,
  allowInvalidDeletionCost: boolean,
): Steps<FieldError[]> {
  const errors: FieldError[] = []
  const mirror = annotations[MIRROR_POD]
  if (mirror !== undefined && !spec.nodeName)
    errors.push(invalid(path.key(MIRROR_POD), mirror, 'must set spec.nodeName if mirror pod annotation is set'))
  if (annotations[TOLERATIONS]) errors.push(...(yield* validateTolerationsAnnotation(annotations[TOLERATIONS], path)))
  const cost = allowInvalidDeletionCost ? undefined : deletionCostError(annotations)
  if (cost) errors.push(invalid(path.key(DELETION_COST), annotations[DELETION_COST], cost))
  if (annotations[SECCOMP_POD] !== undefined) errors.push(...validateSeccompName(annotations[SECCOMP_POD], path.child(SECCOMP_POD)))
  const ofContainers: [key: string, value: string][] = []
  // Iterates over keys, not entries: there may be tens of thousands of annotations.
  for (const key of yield* memberNames(annotations)) {
    if (isStepDone()) yield
    if (key.startsWith(SECCOMP_CONTAINER_PREFIX)) errors.push(...validateSeccompName(annotations[key] ?? '', path.child(key)))
    else if (key.startsWith(APP_ARMOR_PREFIX)) ofContainers.push([key, annotations[key] ?? ''])
  }
  let names: Set<string> | undefined
  for (const [key, value] of ofContainers) {
    names ??= new Set(allContainers(spec).map(({ name }) => name))
    const container = key.slice(APP_ARMOR_PREFIX.length)
    if (!names.has(container)) errors.push(invalid(path.key(key), container, 'container not found'))
    const wrong = appArmorNameError(value)
    if (wrong !== undefined) errors.push(invalid(path.key(key), value, wrong))
  }
  return errors
}

/** Text that is not JSON is rejected. JSON that is not a list is accepted. */
function* validateTolerationsAnnotation(text: string, path: FieldPath): Steps<FieldError[]> {
  const errors: FieldError[] = []
  try {
    const tolerations: unknown = JSON.parse(text)
    if (Array.isArray(tolerations)) errors.push(...(yield* validateTolerations(tolerations, path.child(TOLERATIONS))))
  } catch (error) {
    errors.push(invalid(path, TOLERATIONS, errorMessage(error)))
  }
  return errors
}

/** Returns the error of an AppArmor profile name, if any. An empty name is valid. */
export const appArmorNameError = (name: string): string | undefined =>
  name === '' || name === 'runtime/default' || name === 'unconfined' || name.startsWith('localhost/')
    ? undefined
    : `invalid AppArmor profile name: ${JSON.stringify(name)}`

/** Validates an annotation that names a seccomp profile. */
export function validateSeccompName(profile: string, path: FieldPath): FieldError[] {
  if (profile === 'runtime/default' || profile === 'docker/default' || profile === 'unconfined') return []
  const errors: FieldError[] = []
  if (profile.startsWith('localhost/')) errors.push(...validateDescendingPath(profile.slice(10), path))
  else errors.push(invalid(path, profile, 'must be a valid seccomp profile'))
  return errors
}

/**
 * Checks in steps that an update does not add, change or remove AppArmor annotations or the mirror pod annotation.
 * Removals and changes are reported before additions.
 */
export function* validatePodAnnotationsUpdate(next: Annotations, old: Annotations, path: FieldPath): Steps<FieldError[]> {
  const errors: FieldError[] = []
  for (const key of yield* memberNames(old)) {
    if (isStepDone()) yield
    if (next[key] === old[key]) continue
    if (key.startsWith(APP_ARMOR_PREFIX)) errors.push(forbidden(path.key(key), 'may not remove or update AppArmor annotations'))
    if (key === MIRROR_POD) errors.push(forbidden(path.key(key), 'may not remove or update mirror pod annotation'))
  }
  for (const key of yield* memberNames(next)) {
    if (isStepDone()) yield
    if (Object.hasOwn(old, key)) continue
    if (key.startsWith(APP_ARMOR_PREFIX)) errors.push(forbidden(path.key(key), 'may not add AppArmor annotations'))
    if (key === MIRROR_POD) errors.push(forbidden(path.key(key), 'may not add mirror pod annotation'))
  }
  return errors
}

/**
 * Checks that a profile is the same in annotation and field if it is in both; `path` is the path of the spec. The
 * seccomp field of the pod is compared with the annotation of the pod only; for AppArmor it also applies to containers
 * without a field. AppArmor is skipped on Windows. Runs in steps.
 */
export function* validateProfilesAgree(annotations: Annotations, spec: PodSpec, path: FieldPath): Steps<FieldError[]> {
  const errors: FieldError[] = []
  if (!(yield* namesProfiles(annotations))) return errors
  const ofPod = spec.securityContext?.seccompProfile
  const podAnnotation = annotations[SECCOMP_POD]
  if (ofPod && podAnnotation !== undefined)
    errors.push(...validateAgree('seccomp', podAnnotation, ofPod, path.child('securityContext', 'seccompProfile')))
  const containers = containersWithPath(spec, path)
  for (const [container, at] of containers) {
    if (isStepDone()) yield
    const annotation = annotations[SECCOMP_CONTAINER_PREFIX + container.name]
    const profile = container.securityContext?.seccompProfile
    if (profile && annotation !== undefined)
      errors.push(...validateAgree('seccomp', annotation, profile, at.child('securityContext', 'seccompProfile')))
  }
  if (spec.os?.name === 'windows') return errors
  for (const [container, at] of containers) {
    if (isStepDone()) yield
    const annotation = annotations[APP_ARMOR_PREFIX + container.name]
    const profile = container.securityContext?.appArmorProfile ?? spec.securityContext?.appArmorProfile
    if (profile && annotation !== undefined)
      errors.push(...validateAgree('apparmor', annotation, profile, at.child('securityContext', 'appArmorProfile')))
  }
  return errors
}

function* namesProfiles(annotations: Annotations): Steps<boolean> {
  for (const key of yield* memberNames(annotations)) {
    if (isStepDone()) yield
    if (key === SECCOMP_POD || key.startsWith(SECCOMP_CONTAINER_PREFIX) || key.startsWith(APP_ARMOR_PREFIX)) return true
  }
  return false
}

/**
 * A field of unknown type agrees with any annotation, since its own validator rejects it. For seccomp `docker/default`
 * equals `runtime/default`.
 */
function validateAgree(
  what: 'seccomp' | 'apparmor',
  annotation: string,
  profile: AppArmorProfile | SeccompProfile,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = []
  const differs = (): void => void errors.push(forbidden(path.child('type'), `${what} type in annotation and field must match`))
  if (profile.type === 'Unconfined') {
    if (annotation !== 'unconfined') differs()
  } else if (profile.type === 'RuntimeDefault') {
    if (annotation !== 'runtime/default' && !(what === 'seccomp' && annotation === 'docker/default')) differs()
  } else if (profile.type === 'Localhost') {
    if (!annotation.startsWith('localhost/')) differs()
    else if (annotation.slice(10) !== profile.localhostProfile) {
      errors.push(forbidden(path.child('localhostProfile'), `${what} profile in annotation and field must match`))
    }
  }
  return errors
}
