import type { AppArmorProfile, Pod, SeccompProfile } from '../../../api/core/v1.types.ts'
import type { HookContext } from '../../../catalog/strategy.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'
import { deepEqual, ownMember } from '../../../meta/equal.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { APP_ARMOR_PREFIX, SECCOMP_CONTAINER_PREFIX, SECCOMP_POD } from '../pod-spec/annotations.ts'
import { validateAppArmorProfile } from '../pod-spec/security-context.ts'
import { allContainers } from '../pod-spec/visit.ts'
import { OLD_APP_ARMOR } from '../pod-spec/warnings.ts'

/**
 * Converts seccomp annotations of a new pod to fields before 1.27, unless the fields are set. In 1.24 fields are
 * converted to annotations as well, for old nodes. Templates are not changed. Source: pkg/registry/core/pod in
 * k8s.io/kubernetes.
 */
export function applySeccompAnnotations(pod: Pod, release: Release): void {
  if (isSince(release, '1.27')) return
  const forOldNodes = !isSince(release, '1.25')
  seccompOf(pod, SECCOMP_POD, pod.spec, forOldNodes)
  for (const container of allContainers(pod.spec)) seccompOf(pod, SECCOMP_CONTAINER_PREFIX + container.name, container, forOldNodes)
}

/** Converts one annotation. `target` holds the field: the spec of the pod, or a container. */
function seccompOf(
  { metadata }: Pod,
  key: string,
  target: { securityContext?: { seccompProfile?: SeccompProfile } },
  forOldNodes: boolean,
): void {
  const annotation = ownMember(metadata.annotations, key)
  const field = target.securityContext?.seccompProfile
  if (annotation !== undefined && !field) {
    const seccompProfile = seccompProfileOf(annotation)
    if (seccompProfile) target.securityContext = { ...target.securityContext, seccompProfile }
  } else if (forOldNodes && annotation === undefined && field) {
    const added = annotationOf(field)
    if (added !== undefined) metadata.annotations = { ...metadata.annotations, [key]: added }
  }
}

/** Returns undefined for an unknown value. */
function seccompProfileOf(annotation: string): SeccompProfile | undefined {
  if (annotation === 'unconfined') return { type: 'Unconfined' }
  if (annotation === 'runtime/default' || annotation === 'docker/default') return { type: 'RuntimeDefault' }
  if (!annotation.startsWith('localhost/') || annotation === 'localhost/') return undefined
  return { type: 'Localhost', localhostProfile: annotation.slice('localhost/'.length) }
}

/**
 * Converts AppArmor annotations of old clients to fields, and before 1.34 fields to annotations, for old nodes:
 * https://kubernetes.io/docs/tutorials/security/apparmor/
 */
export function applyAppArmorAnnotations(pod: Pod, ctx: HookContext): void {
  if (pod.spec.os?.name === 'windows' || !ctx.features.enabled('AppArmorFields')) return
  const forOldNodes = !isSince(ctx.features.release, '1.34')
  const ofPod = pod.spec.securityContext?.appArmorProfile
  for (const container of allContainers(pod.spec)) {
    const key = APP_ARMOR_PREFIX + container.name
    const annotation = pod.metadata.annotations?.[key]
    const ofContainer = container.securityContext?.appArmorProfile
    if (annotation === undefined) {
      const added = forOldNodes ? annotationOf(ofContainer ?? ofPod) : undefined
      if (added !== undefined) pod.metadata.annotations = { ...pod.metadata.annotations, [key]: added }
      continue
    }
    if (ofContainer) continue
    const profile = profileOf(annotation)
    const differs = profile !== undefined && !deepEqual(profile, ofPod)
    if (profile && differs) container.securityContext = { ...container.securityContext, appArmorProfile: profile }
    if (differs || profile === undefined) ctx.request?.warn(`${fieldPath('metadata', 'annotations').key(key)}: ${OLD_APP_ARMOR}`)
  }
}

const ANYWHERE: FieldPath = fieldPath()

/** Returns the annotation that is equivalent to a field, or undefined for a missing or incomplete profile. */
function annotationOf(profile: AppArmorProfile | SeccompProfile | undefined): string | undefined {
  if (profile?.type === 'Unconfined') return 'unconfined'
  if (profile?.type === 'RuntimeDefault') return 'runtime/default'
  return profile?.type === 'Localhost' && profile.localhostProfile !== undefined ? `localhost/${profile.localhostProfile}` : undefined
}

/** Returns the field that is equivalent to an annotation, or undefined if the annotation is malformed. */
function profileOf(annotation: string): AppArmorProfile | undefined {
  if (annotation === 'unconfined') return { type: 'Unconfined' }
  if (annotation === 'runtime/default') return { type: 'RuntimeDefault' }
  if (!annotation.startsWith('localhost/') || annotation === 'localhost/') return undefined
  const profile: AppArmorProfile = { type: 'Localhost', localhostProfile: annotation.slice(10) }
  return validateAppArmorProfile(profile, ANYWHERE).length === 0 ? profile : undefined
}
