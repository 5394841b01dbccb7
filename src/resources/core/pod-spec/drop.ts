import type { Features } from '../../../lifecycle/gates.ts'
import type { Container, ContainerStatus, PodSpec, PodStatus, PodTemplateSpec } from '../v1.types.ts'
import { allContainers } from './visit.ts'

/** Takes the fields of features that are off from what comes in, unless the object already has them. */
export function dropDisabledPodFields(spec: PodSpec, old: PodSpec | undefined, features: Features): void {
  if (!features.enabled('PodLevelResources') && !old?.resources) delete spec.resources
  if (!features.enabled('ImageVolume')) dropImageVolumes(spec, old)
  if (!features.enabled('ClusterTrustBundleProjection') && !usesTrustBundle(old)) {
    for (const volume of spec.volumes ?? []) for (const source of volume.projected?.sources ?? []) delete source.clusterTrustBundle
  }
  if (!features.enabled('DynamicResourceAllocation') && !old?.resourceClaims?.length) {
    delete spec.resourceClaims
    for (const { resources } of allContainers(spec)) delete resources.claims
  }
  if (!features.enabled('ContainerStopSignals') && !usesStopSignal(old)) for (const container of allContainers(spec)) dropStopSignal(container)
}

/** The same for a PodTemplateSpec. */
export const dropDisabledTemplateFields = (template: PodTemplateSpec, old: PodTemplateSpec | undefined, features: Features): void =>
  dropDisabledPodFields(template.spec, old?.spec, features)

/** Volumes that are images, and where containers mount them. */
function dropImageVolumes(spec: PodSpec, old: PodSpec | undefined): void {
  const { volumes = [] } = spec
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

const usesTrustBundle = (spec: PodSpec | undefined): boolean =>
  spec?.volumes?.some(volume => volume.projected?.sources?.some(source => source.clusterTrustBundle)) ?? false

const usesStopSignal = (spec: PodSpec | undefined): boolean =>
  spec !== undefined && [...allContainers(spec)].some(container => container.lifecycle?.stopSignal !== undefined)

function dropStopSignal(container: Container): void {
  if (container.lifecycle?.stopSignal === undefined) return
  delete container.lifecycle.stopSignal
  if (Object.keys(container.lifecycle).length === 0) delete container.lifecycle
}

const statusesOf = (status: PodStatus): ContainerStatus[] => [
  ...(status.initContainerStatuses ?? []),
  ...(status.containerStatuses ?? []),
  ...(status.ephemeralContainerStatuses ?? []),
]

/** The same for the status of a pod: what belongs to features that are off and is not in the old status. */
export function dropDisabledStatusFields(status: PodStatus, old: PodStatus | undefined, features: Features): void {
  const oldStatuses = old ? statusesOf(old) : []
  for (const [field, gate] of [
    ['allocatedResources', 'InPlacePodVerticalScalingAllocatedStatus'],
    ['allocatedResourcesStatus', 'ResourceHealthStatus'],
    ['stopSignal', 'ContainerStopSignals'],
  ] as const) {
    if (features.enabled(gate) || oldStatuses.some(container => container[field] !== undefined)) continue
    for (const container of statusesOf(status)) delete container[field]
  }
  if (!features.enabled('DynamicResourceAllocation') && !old?.resourceClaimStatuses?.length) delete status.resourceClaimStatuses
  if (!features.enabled('PodObservedGenerationTracking') && !(old && observesGeneration(old))) dropObservedGenerations(status)
}

const observesGeneration = ({ observedGeneration, conditions }: PodStatus): boolean =>
  Boolean(observedGeneration) || (conditions ?? []).some(condition => condition.observedGeneration)

function dropObservedGenerations(status: PodStatus): void {
  delete status.observedGeneration
  for (const condition of status.conditions ?? []) delete condition.observedGeneration
}
