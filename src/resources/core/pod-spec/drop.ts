import type { PodSpec, PodTemplateSpec } from '../../../api/core/v1.types.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { forgetGivenEmpty } from '../../../meta/empty-members.ts'
import { usesRestartRules } from './restart-rules.ts'
import { allContainers, isSidecar } from './visit.ts'

/**
 * Clears fields of disabled gates that no `gate` mark in `src/api/core/v1.types` can express: image volumes with their
 * mounts, and procMount.
 */
export function dropDisabledPodFields(spec: PodSpec, old: PodSpec | undefined, features: Features): void {
  if (!features.enabled('ImageVolume')) dropImageVolumes(spec, old)
  if (!features.enabled('ProcMountType')) resetProcMounts(spec, old)
  if (isSince(features.release, '1.34') && !features.enabled('ContainerRestartRules')) dropRestartPolicies(spec, old)
}

/** Clears the same fields of a PodTemplateSpec. */
export const dropDisabledTemplateFields = (template: PodTemplateSpec, old: PodTemplateSpec | undefined, features: Features): void =>
  dropDisabledPodFields(template.spec, old?.spec, features)

/** Clears the restart policy of all containers except sidecars. Releases before 1.34 reject it instead. */
function dropRestartPolicies(spec: PodSpec, old: PodSpec | undefined): void {
  if (old && usesRestartRules(old)) return
  for (const container of spec.initContainers ?? []) if (!isSidecar(container)) delete container.restartPolicy
  for (const container of [...(spec.containers ?? []), ...(spec.ephemeralContainers ?? [])]) delete container.restartPolicy
}

/** Removes image volumes and their mounts. Upstream rebuilds the lists, so an empty one becomes nil. */
function dropImageVolumes(spec: PodSpec, old: PodSpec | undefined): void {
  const { volumes = [] } = spec
  forgetGivenEmpty(spec, 'volumes')
  for (const container of allContainers(spec)) forgetGivenEmpty(container, 'volumeMounts')
  const names = new Set(volumes.filter(volume => volume.image).map(volume => volume.name))
  if (names.size === 0 || old?.volumes?.some(volume => volume.image)) return
  const others = volumes.filter(volume => !volume.image)
  if (others.length > 0) spec.volumes = others
  else delete spec.volumes
  for (const container of allContainers(spec)) {
    const mounts = container.volumeMounts?.filter(mount => !names.has(mount.name))
    if (mounts?.length) container.volumeMounts = mounts
    else delete container.volumeMounts
  }
}

/** Resets procMount to the default instead of clearing it, because release 1.12 stored the default in every pod. */
function resetProcMounts(spec: PodSpec, old: PodSpec | undefined): void {
  if (old && allContainers(old).some(({ securityContext }) => (securityContext?.procMount ?? 'Default') !== 'Default')) return
  for (const { securityContext } of allContainers(spec)) if (securityContext?.procMount !== undefined) securityContext.procMount = 'Default'
}
