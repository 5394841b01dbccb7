import type { Volume } from '../../../api/core/v1.types.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'
import { claimNamesOf } from '../../shared/pod-claims.ts'
import { type NodeFilter, type Plugin, SKIP, unresolvable, unschedulable } from '../framework.ts'
import { claimNotFound, volumeClaims } from '../pod-claims.ts'
import type { PodInfo } from '../pod-info.ts'
import type { Snapshot } from '../snapshot.ts'

/**
 * Rejects nodes that have a disk of the pod in use, and pods with a claim that only one pod may use and another one
 * has.
 */
export const volumeRestrictions = (release: Release): Plugin => ({
  name: 'VolumeRestrictions',
  preFilter(info, snapshot) {
    const disks = (info.pod.spec.volumes ?? []).filter(isDisk)
    const exclusive = new Set<string>()
    for (const { name, isEphemeral, claim } of volumeClaims(info.pod, snapshot.objects)) {
      if (isEphemeral) continue
      if (claim === undefined) return { status: unresolvable(claimNotFound(name)) }
      if (claim.spec.accessModes?.includes('ReadWriteOncePod')) exclusive.add(name)
    }
    if (disks.length === 0 && exclusive.size === 0) return { status: SKIP }
    return { filter: filterOf(info, disks, exclusive, usesOf(info, exclusive, snapshot), release) }
  },
})

/** Counts the uses of a pod's exclusive claims by other pods. */
function usesOf(info: PodInfo, exclusive: ReadonlySet<string>, { nodes }: Snapshot): number {
  if (exclusive.size === 0) return 0
  return nodes.reduce((sum, { pods }) => sum + pods.reduce((uses, pod) => uses + usesBy(pod, info, exclusive), 0), 0)
}

const usesBy = ({ pod }: PodInfo, { pod: { metadata } }: PodInfo, exclusive: ReadonlySet<string>): number =>
  pod.metadata.namespace !== metadata.namespace || !pod.spec.volumes ? 0 : claimNamesOf(pod).filter(name => exclusive.has(name)).length

function filterOf(info: PodInfo, disks: readonly Volume[], exclusive: ReadonlySet<string>, uses: number, release: Release): NodeFilter {
  return {
    check({ pods }) {
      const isInUse = disks.length > 0 && pods.some(({ pod }) => pod.spec.volumes?.some(used => disks.some(disk => conflicts(disk, used))))
      if (isInUse) return unschedulable('node(s) had no available disk')
      return uses > 0 ? unschedulable(exclusiveReason(release)) : undefined
    },
    with: (pod, _node, change) => filterOf(info, disks, exclusive, uses + change * usesBy(pod, info, exclusive), release),
  }
}

const exclusiveReason = (release: Release): string =>
  isSince(release, '1.34')
    ? 'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod'
    : 'node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode'

const isDisk = ({ gcePersistentDisk, awsElasticBlockStore, rbd, iscsi }: Volume): boolean =>
  (gcePersistentDisk ?? awsElasticBlockStore ?? rbd ?? iscsi) !== undefined

interface ReadOnly {
  readonly readOnly?: boolean
}

/** Whether both only read. */
const onlyRead = (a: ReadOnly, b: ReadOnly): boolean => a.readOnly === true && b.readOnly === true

/** Reports whether two pods of one node may not have these disks. Source: isVolumeConflict of the plugin. */
function conflicts(a: Volume, b: Volume): boolean {
  if (a.gcePersistentDisk && b.gcePersistentDisk) {
    if (a.gcePersistentDisk.pdName === b.gcePersistentDisk.pdName && !onlyRead(a.gcePersistentDisk, b.gcePersistentDisk)) return true
  }
  if (a.awsElasticBlockStore && a.awsElasticBlockStore.volumeID === b.awsElasticBlockStore?.volumeID) return true
  if (a.iscsi && b.iscsi && a.iscsi.iqn === b.iscsi.iqn && !onlyRead(a.iscsi, b.iscsi)) return true
  if (a.rbd === undefined || b.rbd === undefined) return false
  const { monitors, pool, image } = b.rbd
  const hasMonitor = a.rbd.monitors?.some(monitor => monitors?.includes(monitor)) ?? false
  return hasMonitor && a.rbd.pool === pool && a.rbd.image === image && !onlyRead(a.rbd, b.rbd)
}
