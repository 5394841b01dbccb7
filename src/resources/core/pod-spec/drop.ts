import type { ApiStruct } from '../checks.ts'
import { allContainers } from './visit.ts'

/**
 * Fields of features that are off in release 1.33: taken from what comes in, unless the object already has them. They are: pod-level resources (PodLevelResources), image volumes
 * (ImageVolume), resource claims (DynamicResourceAllocation), cluster trust bundles (ClusterTrustBundleProjection), stop signals (ContainerStopSignals).
 */
export function dropDisabledPodFields(spec: ApiStruct, old: ApiStruct | undefined): void {
  if (spec.resources !== undefined && !old?.resources) delete spec.resources
  if (spec.volumes) dropVolumes(spec, old)
  if (!old?.resourceClaims?.length) {
    delete spec.resourceClaims
    for (const container of allContainers(spec)) if (container.resources?.claims) delete container.resources.claims
  }
  if (!usesStopSignal(old)) for (const container of allContainers(spec)) dropStopSignal(container)
}

/** The same for a PodTemplateSpec. */
export function dropDisabledTemplateFields(template: ApiStruct | undefined, old: ApiStruct | undefined): void {
  if (template?.spec) dropDisabledPodFields(template.spec, old?.spec)
}

function dropVolumes(spec: ApiStruct, old: ApiStruct | undefined): void {
  const isImage = (volume: ApiStruct): boolean => volume.image !== undefined
  if (spec.volumes.some(isImage) && !old?.volumes?.some(isImage)) {
    const names = new Set<string>(spec.volumes.filter(isImage).map((volume: ApiStruct) => volume.name))
    spec.volumes = spec.volumes.filter((volume: ApiStruct) => !isImage(volume))
    if (spec.volumes.length === 0) delete spec.volumes
    for (const container of allContainers(spec)) {
      const mounts = container.volumeMounts?.filter((mount: ApiStruct) => !names.has(mount.name))
      if (mounts?.length) container.volumeMounts = mounts
      else delete container.volumeMounts
    }
  }
  if (usesTrustBundle(old)) return
  for (const volume of spec.volumes ?? []) for (const source of volume.projected?.sources ?? []) delete source.clusterTrustBundle
}

const usesTrustBundle = (spec: ApiStruct | undefined): boolean =>
  spec?.volumes?.some((volume: ApiStruct) => volume.projected?.sources?.some((source: ApiStruct) => source.clusterTrustBundle)) ?? false

const usesStopSignal = (spec: ApiStruct | undefined): boolean =>
  spec !== undefined && [...allContainers(spec)].some(container => container.lifecycle?.stopSignal !== undefined)

function dropStopSignal(container: ApiStruct): void {
  if (container.lifecycle?.stopSignal === undefined) return
  delete container.lifecycle.stopSignal
  if (Object.keys(container.lifecycle).length === 0) delete container.lifecycle
}

const statusesOf = (status: ApiStruct): ApiStruct[] => [
  ...(status.initContainerStatuses ?? []),
  ...(status.containerStatuses ?? []),
  ...(status.ephemeralContainerStatuses ?? []),
]

/** The same for the status of a pod: what belongs to features that are off and is not in the old status. */
export function dropDisabledStatusFields(status: ApiStruct, old: ApiStruct | undefined): void {
  const oldStatuses = old ? statusesOf(old) : []
  for (const field of ['allocatedResources', 'allocatedResourcesStatus', 'stopSignal']) {
    if (oldStatuses.some(container => container[field] !== undefined)) continue
    for (const container of statusesOf(status)) delete container[field]
  }
  if (!old?.resourceClaimStatuses?.length) delete status.resourceClaimStatuses
  const observes = (s: ApiStruct): boolean =>
    Boolean(s?.observedGeneration) || (s?.conditions ?? []).some((condition: ApiStruct) => condition.observedGeneration)
  if (old && observes(old)) return
  delete status.observedGeneration
  for (const condition of status.conditions ?? []) delete condition.observedGeneration
}
