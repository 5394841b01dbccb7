import type { Features } from '../../../lifecycle/gates.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { forgetGivenEmpty } from '../../../meta/given-empty.ts'
import type { PodSpec, PodTemplateSpec } from '../v1.types.ts'
import { usesRestartRules } from './restart-rules.ts'
import { allContainers, isSidecar } from './visit.ts'

/** What a gate that is off clears and the mark of no field can say: volumes of images with their mounts, and what /proc looks like. Marks in `../v1.types` do the rest. */
export function dropDisabledPodFields(spec: PodSpec, old: PodSpec | undefined, features: Features): void {
  if (!features.enabled('ImageVolume')) dropImageVolumes(spec, old)
  if (!features.enabled('ProcMountType')) resetProcMounts(spec, old)
  if (isSince(features.release, '1.34') && !features.enabled('ContainerRestartRules')) dropRestartPolicies(spec, old)
}

/** The same for a PodTemplateSpec. */
export const dropDisabledTemplateFields = (template: PodTemplateSpec, old: PodTemplateSpec | undefined, features: Features): void =>
  dropDisabledPodFields(template.spec, old?.spec, features)

/** Of all but sidecars: earlier releases refuse them instead. */
function dropRestartPolicies(spec: PodSpec, old: PodSpec | undefined): void {
  if (old && usesRestartRules(old)) return
  for (const container of spec.initContainers ?? []) if (!isSidecar(container)) delete container.restartPolicy
  for (const container of [...(spec.containers ?? []), ...(spec.ephemeralContainers ?? [])]) delete container.restartPolicy
}

/** Volumes that are images, and where containers mount them. Upstream makes the lists anew, and so nil where they are empty. */
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

/** To the default instead of nothing: release 1.12 stored it so everywhere. */
function resetProcMounts(spec: PodSpec, old: PodSpec | undefined): void {
  if (old && allContainers(old).some(({ securityContext }) => (securityContext?.procMount ?? 'Default') !== 'Default')) return
  for (const { securityContext } of allContainers(spec)) if (securityContext?.procMount !== undefined) securityContext.procMount = 'Default'
}
