import type { PersistentVolume } from '../../../api/core/v1.types.ts'
import type { StorageClass } from '../../../api/storage/v1.types.ts'
import { classOf } from '../../shared/volumes.ts'
import { type NodeFilter, type Plugin, SKIP, type Status, unresolvable } from '../framework.ts'
import { claimNotFound, type VolumeClaim, volumeClaims } from '../pod-claims.ts'
import type { ClusterObjects } from '../snapshot.ts'

/** Labels of zones and regions, with the label that has replaced it. */
const TOPOLOGY_LABELS: ReadonlyMap<string, string> = new Map([
  ['failure-domain.beta.kubernetes.io/zone', 'topology.kubernetes.io/zone'],
  ['failure-domain.beta.kubernetes.io/region', 'topology.kubernetes.io/region'],
  ['topology.kubernetes.io/zone', 'topology.kubernetes.io/zone'],
  ['topology.kubernetes.io/region', 'topology.kubernetes.io/region'],
])
/** Separates zones in the label of a volume that is in several. */
const ZONE_DELIMITER = '__'

/** Zones or regions in which a node must be. */
interface VolumeTopology {
  readonly key: string
  readonly values: ReadonlySet<string>
}

/** Rejects nodes that are not in the zone and region of the pod's volumes, as labels of the volumes say. */
export const volumeZone: Plugin = {
  name: 'VolumeZone',
  preFilter({ pod }, { objects }) {
    const topologies: VolumeTopology[] = []
    for (const each of volumeClaims(pod, objects)) {
      if (each.isEphemeral) continue
      const found = topologiesOf(each, objects)
      if ('code' in found) return { status: found, filter: { check: () => found } }
      topologies.push(...found)
    }
    return topologies.length === 0 ? { status: SKIP } : { filter: filterOf(topologies) }
  },
}

/** Returns what the labels of a claim's volume require, or why the pod cannot be scheduled yet. */
function topologiesOf({ name, claim }: VolumeClaim, objects: ClusterObjects): VolumeTopology[] | Status {
  if (claim === undefined) return unresolvable(claimNotFound(name))
  const { volumeName } = claim.spec
  if (!volumeName) return delayedOf(classOf(claim), objects)
  const volume = objects.get<PersistentVolume>('PersistentVolume', '', volumeName)
  if (volume === undefined) return unresolvable(`persistentvolume "${volumeName}" not found`)
  const topologies: VolumeTopology[] = []
  for (const key of TOPOLOGY_LABELS.keys()) {
    const zones = volume.metadata.labels?.[key]?.split(ZONE_DELIMITER).map(zone => zone.trim())
    if (zones && !zones.includes('')) topologies.push({ key, values: new Set(zones) })
  }
  return topologies
}

/** A claim without a volume must wait for its consumer. */
function delayedOf(className: string, objects: ClusterObjects): VolumeTopology[] | Status {
  if (className === '') return unresolvable('PersistentVolumeClaim had no pv name and storageClass name')
  const storageClass = objects.get<StorageClass>('StorageClass', '', className)
  if (storageClass === undefined) return unresolvable(`storageclass.storage.k8s.io "${className}" not found`)
  if (!storageClass.volumeBindingMode) return unresolvable(`VolumeBindingMode not set for StorageClass "${className}"`)
  return storageClass.volumeBindingMode === 'WaitForFirstConsumer' ? [] : unresolvable('PersistentVolume had no name')
}

const filterOf = (topologies: readonly VolumeTopology[]): NodeFilter => ({
  check({ labels }) {
    // A node without such labels is in a cluster of one zone.
    if (![...TOPOLOGY_LABELS.keys()].some(key => labels[key] !== undefined)) return undefined
    const isIn = ({ key, values }: VolumeTopology): boolean => {
      const value = labels[key] ?? labels[TOPOLOGY_LABELS.get(key) ?? key]
      return value !== undefined && values.has(value)
    }
    return topologies.every(isIn) ? undefined : unresolvable('node(s) had no available volume zone')
  },
})
