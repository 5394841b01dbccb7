import type { HookContext } from '../../../catalog/definition.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'
import { deepEqual, ownMember } from '../../../meta/equal.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { APP_ARMOR_PREFIX, SECCOMP_CONTAINER_PREFIX, SECCOMP_POD } from '../pod-spec/annotations.ts'
import { validateAppArmorProfile } from '../pod-spec/security-context.ts'
import { allContainers } from '../pod-spec/visit.ts'
import { OLD_APP_ARMOR } from '../pod-spec/warnings.ts'
import type { AppArmorProfile, Pod, SeccompProfile } from '../v1.types.ts'

/**
 * Before 1.27 seccomp annotations of a pod that is created become fields, where it has none; in 1.24 fields become annotations for old nodes, too. Templates keep
 * what they have. Source: pkg/registry/core/pod in k8s.io/kubernetes.
 */
export function applySeccompAnnotations(pod: Pod, release: Release): void {
  if (isSince(release, '1.27')) return
  const forOldNodes = !isSince(release, '1.25')
  seccompOf(pod, SECCOMP_POD, pod.spec, forOldNodes)
  for (const container of allContainers(pod.spec)) seccompOf(pod, SECCOMP_CONTAINER_PREFIX + container.name, container, forOldNodes)
}

/** `target`: what has the field, the spec of the pod or a container. */
function seccompOf({ metadata }: Pod, key: string, target: { securityContext?: { seccompProfile?: SeccompProfile } }, forOldNodes: boolean): void {
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

/** Undefined for what is not known. */
function seccompProfileOf(annotation: string): SeccompProfile | undefined {
  if (annotation === 'unconfined') return { type: 'Unconfined' }
  if (annotation === 'runtime/default' || annotation === 'docker/default') return { type: 'RuntimeDefault' }
  if (!annotation.startsWith('localhost/') || annotation === 'localhost/') return undefined
  return { type: 'Localhost', localhostProfile: annotation.slice('localhost/'.length) }
}

/** AppArmor annotations of old clients become fields, and before 1.34 fields annotations for old nodes: https://kubernetes.io/docs/tutorials/security/apparmor/ */
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

/** The annotation that says the same as a field, of either kind; undefined for a missing or incomplete profile. */
function annotationOf(profile: AppArmorProfile | SeccompProfile | undefined): string | undefined {
  if (profile?.type === 'Unconfined') return 'unconfined'
  if (profile?.type === 'RuntimeDefault') return 'runtime/default'
  return profile?.type === 'Localhost' && profile.localhostProfile !== undefined ? `localhost/${profile.localhostProfile}` : undefined
}

/** The field that says the same as an annotation; undefined where the annotation is malformed. */
function profileOf(annotation: string): AppArmorProfile | undefined {
  if (annotation === 'unconfined') return { type: 'Unconfined' }
  if (annotation === 'runtime/default') return { type: 'RuntimeDefault' }
  if (!annotation.startsWith('localhost/') || annotation === 'localhost/') return undefined
  const profile: AppArmorProfile = { type: 'Localhost', localhostProfile: annotation.slice(10) }
  return validateAppArmorProfile(profile, ANYWHERE).length === 0 ? profile : undefined
}
