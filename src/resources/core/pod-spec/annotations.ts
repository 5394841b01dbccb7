import { errorMessage } from '../../../lib/error-message.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { forbidden, invalid } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import type { AppArmorProfile, PodSpec, SeccompProfile } from '../v1.types.ts'
import { validateDescendingPath } from '../volume/paths.ts'
import { validateTolerations } from './scheduling.ts'
import { allContainers, containersWithPath } from './visit.ts'

type Annotations = Readonly<Record<string, string>>

/** Annotations with a meaning for the server. Marks the pod as the copy of a static pod of a kubelet. */
export const MIRROR_POD = 'kubernetes.io/config.mirror'
/** Deprecated: the fields of the security context have taken their place. The name of a container follows. */
export const APP_ARMOR_PREFIX = 'container.apparmor.security.beta.kubernetes.io/'
export const SECCOMP_POD = 'seccomp.security.alpha.kubernetes.io/pod'
export const SECCOMP_CONTAINER_PREFIX = 'container.seccomp.security.alpha.kubernetes.io/'
const TOLERATIONS = 'scheduler.alpha.kubernetes.io/tolerations'
const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost'

/** Why the deletion cost of a pod is none. A leading plus or zero is as wrong as a letter. */
export function deletionCostError(annotations: Annotations | undefined): string | undefined {
  const value = annotations?.[DELETION_COST]
  if (value === undefined) return undefined
  const good = /^(0|-[0-9]+|[1-9][0-9]*)$/.test(value) && Number(value) >= -(2 ** 31) && Number(value) < 2 ** 31
  return good ? undefined : 'must be a 32bit integer'
}

/**
 * Annotations that mean something to pods; `path`: that of the annotations. Names in AppArmor keys must be containers of the spec.
 * Upstream’s paths write the keys of seccomp and tolerations as children (`annotations.key`), the others as subscripts (`annotations[key]`).
 */
export function validatePodAnnotations(annotations: Annotations, spec: PodSpec, path: FieldPath, allowInvalidDeletionCost: boolean): FieldError[] {
  const errors: FieldError[] = []
  const mirror = annotations[MIRROR_POD]
  if (mirror !== undefined && !spec.nodeName) errors.push(invalid(path.key(MIRROR_POD), mirror, 'must set spec.nodeName if mirror pod annotation is set'))
  if (annotations[TOLERATIONS]) errors.push(...validateTolerationsAnnotation(annotations[TOLERATIONS], path))
  const cost = allowInvalidDeletionCost ? undefined : deletionCostError(annotations)
  if (cost) errors.push(invalid(path.key(DELETION_COST), annotations[DELETION_COST], cost))
  if (annotations[SECCOMP_POD] !== undefined) errors.push(...validateSeccompName(annotations[SECCOMP_POD], path.child(SECCOMP_POD)))
  const ofContainers: [key: string, value: string][] = []
  // No entries: there may be tens of thousands of annotations.
  for (const key of Object.keys(annotations)) {
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

/** JSON that is no list passes; text that is no JSON does not. */
function validateTolerationsAnnotation(text: string, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  try {
    const tolerations: unknown = JSON.parse(text)
    if (Array.isArray(tolerations)) errors.push(...validateTolerations(tolerations, path.child(TOLERATIONS)))
  } catch (error) {
    errors.push(invalid(path, TOLERATIONS, errorMessage(error)))
  }
  return errors
}

/** Why an annotation does not name an AppArmor profile. An empty name is none, and right. */
export const appArmorNameError = (name: string): string | undefined =>
  name === '' || name === 'runtime/default' || name === 'unconfined' || name.startsWith('localhost/')
    ? undefined
    : `invalid AppArmor profile name: ${JSON.stringify(name)}`

/** Of an annotation that names a seccomp profile. */
export function validateSeccompName(profile: string, path: FieldPath): FieldError[] {
  if (profile === 'runtime/default' || profile === 'docker/default' || profile === 'unconfined') return []
  const errors: FieldError[] = []
  if (profile.startsWith('localhost/')) errors.push(...validateDescendingPath(profile.slice(10), path))
  else errors.push(invalid(path, profile, 'must be a valid seccomp profile'))
  return errors
}

/** An update may not add, change or remove the AppArmor annotations and the mark of a mirror pod. Removals and changes are reported before additions. */
export function validatePodAnnotationsUpdate(next: Annotations, old: Annotations, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  for (const key of Object.keys(old)) {
    if (next[key] === old[key]) continue
    if (key.startsWith(APP_ARMOR_PREFIX)) errors.push(forbidden(path.key(key), 'may not remove or update AppArmor annotations'))
    if (key === MIRROR_POD) errors.push(forbidden(path.key(key), 'may not remove or update mirror pod annotation'))
  }
  for (const key of Object.keys(next)) {
    if (Object.hasOwn(old, key)) continue
    if (key.startsWith(APP_ARMOR_PREFIX)) errors.push(forbidden(path.key(key), 'may not add AppArmor annotations'))
    if (key === MIRROR_POD) errors.push(forbidden(path.key(key), 'may not add mirror pod annotation'))
  }
  return errors
}

/**
 * Where a profile stands in an annotation and in a field, they agree. `path`: that of the spec.
 * The seccomp field of the pod is compared with the pod’s annotation only; for AppArmor it also stands for containers without a field.
 * AppArmor is skipped for Windows.
 */
export function validateProfilesAgree(annotations: Annotations, spec: PodSpec, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  if (!namesProfiles(annotations)) return errors
  const ofPod = spec.securityContext?.seccompProfile
  const podAnnotation = annotations[SECCOMP_POD]
  if (ofPod && podAnnotation !== undefined) errors.push(...validateAgree('seccomp', podAnnotation, ofPod, path.child('securityContext', 'seccompProfile')))
  for (const [container, at] of containersWithPath(spec, path)) {
    const annotation = annotations[SECCOMP_CONTAINER_PREFIX + container.name]
    const profile = container.securityContext?.seccompProfile
    if (profile && annotation !== undefined) errors.push(...validateAgree('seccomp', annotation, profile, at.child('securityContext', 'seccompProfile')))
  }
  if (spec.os?.name === 'windows') return errors
  for (const [container, at] of containersWithPath(spec, path)) {
    const annotation = annotations[APP_ARMOR_PREFIX + container.name]
    const profile = container.securityContext?.appArmorProfile ?? spec.securityContext?.appArmorProfile
    if (profile && annotation !== undefined) errors.push(...validateAgree('apparmor', annotation, profile, at.child('securityContext', 'appArmorProfile')))
  }
  return errors
}

function namesProfiles(annotations: Annotations): boolean {
  for (const key in annotations) if (key === SECCOMP_POD || key.startsWith(SECCOMP_CONTAINER_PREFIX) || key.startsWith(APP_ARMOR_PREFIX)) return true
  return false
}

/** A field of an unknown type agrees with anything: its own validator refuses it. For seccomp `docker/default` means `runtime/default`. */
function validateAgree(what: 'seccomp' | 'apparmor', annotation: string, profile: AppArmorProfile | SeccompProfile, path: FieldPath): FieldError[] {
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
