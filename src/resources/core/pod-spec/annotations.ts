import { errorMessage } from '../../../lib/error-message.ts'
import { forbidden, invalid } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import type { ApiStruct, Errors } from '../checks.ts'
import { checkDescendingPath } from '../volume/paths.ts'
import { checkTolerations } from './scheduling.ts'
import { allContainers, containersWithPath } from './visit.ts'

type Annotations = Readonly<Record<string, string>>

export const MIRROR_POD = 'kubernetes.io/config.mirror'
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

/** Annotations that mean something to pods; `path`: that of the annotations. */
export function checkPodAnnotations(annotations: Annotations, spec: ApiStruct, path: FieldPath, allowInvalidDeletionCost: boolean, errors: Errors): void {
  const mirror = annotations[MIRROR_POD]
  if (mirror !== undefined && !spec.nodeName) errors.push(invalid(path.key(MIRROR_POD), mirror, 'must set spec.nodeName if mirror pod annotation is set'))
  if (annotations[TOLERATIONS]) checkTolerationsAnnotation(annotations[TOLERATIONS], path, errors)
  const cost = allowInvalidDeletionCost ? undefined : deletionCostError(annotations)
  if (cost) errors.push(invalid(path.key(DELETION_COST), annotations[DELETION_COST], cost))
  if (annotations[SECCOMP_POD] !== undefined) checkSeccompName(annotations[SECCOMP_POD], path.child(SECCOMP_POD), errors)
  const ofContainers: string[] = []
  for (const key in annotations) if (key.startsWith(SECCOMP_CONTAINER_PREFIX) || key.startsWith(APP_ARMOR_PREFIX)) ofContainers.push(key)
  for (const key of ofContainers) {
    if (key.startsWith(SECCOMP_CONTAINER_PREFIX)) checkSeccompName(annotations[key] as string, path.child(key), errors)
  }
  let names: Set<string> | undefined
  for (const key of ofContainers) {
    if (!key.startsWith(APP_ARMOR_PREFIX)) continue
    const value = annotations[key] as string
    names ??= new Set([...allContainers(spec)].map(({ name }) => name ?? ''))
    const container = key.slice(APP_ARMOR_PREFIX.length)
    if (!names.has(container)) errors.push(invalid(path.key(key), container, 'container not found'))
    if (value !== '' && value !== 'runtime/default' && value !== 'unconfined' && !value.startsWith('localhost/')) {
      errors.push(invalid(path.key(key), value, `invalid AppArmor profile name: ${JSON.stringify(value)}`))
    }
  }
}

function checkTolerationsAnnotation(text: string, path: FieldPath, errors: Errors): void {
  try {
    const tolerations: unknown = JSON.parse(text)
    if (Array.isArray(tolerations)) checkTolerations(tolerations, path.child(TOLERATIONS), errors)
  } catch (error) {
    errors.push(invalid(path, TOLERATIONS, errorMessage(error)))
  }
}

function checkSeccompName(profile: string, path: FieldPath, errors: Errors): void {
  if (profile === 'runtime/default' || profile === 'docker/default' || profile === 'unconfined') return
  if (profile.startsWith('localhost/')) checkDescendingPath(profile.slice(10), path, errors)
  else errors.push(invalid(path, profile, 'must be a valid seccomp profile'))
}

/** What of an update's annotations may not change. */
export function checkPodAnnotationsUpdate(next: Annotations, old: Annotations, path: FieldPath, errors: Errors): void {
  for (const key in old) {
    if (next[key] === old[key]) continue
    if (key.startsWith(APP_ARMOR_PREFIX)) errors.push(forbidden(path.key(key), 'may not remove or update AppArmor annotations'))
    if (key === MIRROR_POD) errors.push(forbidden(path.key(key), 'may not remove or update mirror pod annotation'))
  }
  for (const key in next) {
    if (Object.hasOwn(old, key)) continue
    if (key.startsWith(APP_ARMOR_PREFIX)) errors.push(forbidden(path.key(key), 'may not add AppArmor annotations'))
    if (key === MIRROR_POD) errors.push(forbidden(path.key(key), 'may not add mirror pod annotation'))
  }
}

/** Where a profile stands in an annotation and in a field, they agree. `path`: that of the spec. */
export function checkProfilesAgree(annotations: Annotations, spec: ApiStruct, path: FieldPath, errors: Errors): void {
  const ofPod = spec.securityContext?.seccompProfile
  const podAnnotation = annotations[SECCOMP_POD]
  if (ofPod && podAnnotation !== undefined) checkAgree('seccomp', podAnnotation, ofPod, path.child('securityContext', 'seccompProfile'), errors)
  for (const [container, at] of containersWithPath(spec, path)) {
    const annotation = annotations[SECCOMP_CONTAINER_PREFIX + container.name]
    const profile = container.securityContext?.seccompProfile
    if (profile && annotation !== undefined) checkAgree('seccomp', annotation, profile, at.child('securityContext', 'seccompProfile'), errors)
  }
  if (spec.os?.name === 'windows') return
  for (const [container, at] of containersWithPath(spec, path)) {
    const annotation = annotations[APP_ARMOR_PREFIX + container.name]
    const profile = container.securityContext?.appArmorProfile ?? spec.securityContext?.appArmorProfile
    if (profile && annotation !== undefined) checkAgree('apparmor', annotation, profile, at.child('securityContext', 'appArmorProfile'), errors)
  }
}

function checkAgree(what: 'seccomp' | 'apparmor', annotation: string, profile: ApiStruct, path: FieldPath, errors: Errors): void {
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
}
