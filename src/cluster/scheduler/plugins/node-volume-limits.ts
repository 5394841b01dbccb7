import type { PersistentVolume } from '../../../api/core/v1.types.ts'
import type { CSIDriver, CSINode, VolumeAttachment } from '../../../api/storage/v1.types.ts'
import { type AttachedVolumes, addAttachable, csiVolume, MissingClaim } from '../csi-volumes.ts'
import { type NodeFilter, type Plugin, SKIP, type Status, unresolvable, unschedulable } from '../framework.ts'
import type { NodeInfo } from '../node-info.ts'
import type { PodInfo } from '../pod-info.ts'
import type { ClusterObjects } from '../snapshot.ts'

/**
 * Rejects nodes to which a driver can attach no further volume. @param needsDrivers whether nodes are rejected that
 * lack a driver that is required on the nodes of its pods: gate VolumeLimitScaling
 */
export const nodeVolumeLimits = (needsDrivers = false): Plugin => ({
  name: 'NodeVolumeLimits',
  preFilter(info, { objects }) {
    const { volumes = [] } = info.pod.spec
    const isCounted = volumes.some(
      volume => volume.persistentVolumeClaim ?? volume.ephemeral ?? IN_TREE.some(source => volume[source] !== undefined),
    )
    if (!isCounted) return { status: SKIP }
    const attachments = groupedAttachments(objects)
    const filter: NodeFilter = { check: node => check(info, node, objects, { attachments, needsDrivers }) }
    return { filter }
  },
})

/** Sources that CSI drivers have replaced. */
const IN_TREE = [
  'awsElasticBlockStore',
  'gcePersistentDisk',
  'azureDisk',
  'azureFile',
  'cinder',
  'vsphereVolume',
  'portworxVolume',
] as const

/** Lists the attachments of a node. */
type AttachmentsOn = (node: string) => readonly VolumeAttachment[]

/** Groups all attachments by node when those of the first node are read. */
function groupedAttachments(objects: ClusterObjects): AttachmentsOn {
  let byNode: Map<string, VolumeAttachment[]> | undefined
  return node => {
    if (byNode === undefined) {
      byNode = new Map()
      for (const attachment of objects.list<VolumeAttachment>('VolumeAttachment')) {
        const others = byNode.get(attachment.spec.nodeName)
        if (others) others.push(attachment)
        else byNode.set(attachment.spec.nodeName, [attachment])
      }
    }
    return byNode.get(node) ?? []
  }
}

function check(
  { pod }: PodInfo,
  node: NodeInfo,
  objects: ClusterObjects,
  { attachments, needsDrivers }: { readonly attachments: AttachmentsOn; readonly needsDrivers: boolean },
): Status | undefined {
  const csiNode = objects.get<CSINode>('CSINode', '', node.name)
  const wanted: AttachedVolumes = new Map()
  try {
    addAttachable(pod, true, csiNode, objects, wanted)
  } catch (error) {
    if (error instanceof MissingClaim) return unresolvable(error.message)
    throw error
  }
  const missing = needsDrivers ? missingDriver(wanted, csiNode, objects) : undefined
  if (missing !== undefined) return unschedulable(`${missing} CSI driver is not installed on the node`)
  const limits = limitsOf(csiNode)
  if (wanted.size === 0 || limits.size === 0) return undefined
  const attached = attachedTo(node, csiNode, objects, attachments)
  for (const name of attached.keys()) wanted.delete(name)
  const [before, more] = [countByDriver(attached), countByDriver(wanted)]
  const isFull = [...more].some(([driver, count]) => (before.get(driver) ?? 0) + count > (limits.get(driver) ?? Number.POSITIVE_INFINITY))
  return isFull ? unschedulable('node(s) exceed max volume count') : undefined
}

/** Returns the first driver that the node lacks and that pods with its volumes require there. */
function missingDriver(volumes: AttachedVolumes, node: CSINode | undefined, objects: ClusterObjects): string | undefined {
  const installed = new Set(node?.spec.drivers?.map(({ name }) => name))
  const isRequired = (driver: string): boolean =>
    objects.get<CSIDriver>('CSIDriver', '', driver)?.spec.preventPodSchedulingIfMissing ?? false
  return [...volumes.values()].find(driver => !installed.has(driver) && isRequired(driver))
}

/** Most volumes of each driver that reports a limit. */
function limitsOf(node: CSINode | undefined): Map<string, number> {
  const limits = new Map<string, number>()
  for (const { name, allocatable } of node?.spec.drivers ?? []) if (allocatable?.count !== undefined) limits.set(name, allocatable.count)
  return limits
}

/** Volumes of the node's pods, and those that are attached without a pod. */
function attachedTo(
  { name, pods }: NodeInfo,
  csiNode: CSINode | undefined,
  objects: ClusterObjects,
  attachments: AttachmentsOn,
): AttachedVolumes {
  const attached: AttachedVolumes = new Map()
  for (const { pod } of pods) addAttachable(pod, false, csiNode, objects, attached)
  for (const { spec } of attachments(name)) {
    const volumeName = spec.source.persistentVolumeName
    const volume = volumeName === undefined ? undefined : objects.get<PersistentVolume>('PersistentVolume', '', volumeName)
    const csi = volume && csiVolume(volume, csiNode)
    if (csi) attached.set(`${csi.driver}/${csi.handle}`, csi.driver)
  }
  return attached
}

function countByDriver(volumes: AttachedVolumes): Map<string, number> {
  const counts = new Map<string, number>()
  for (const driver of volumes.values()) counts.set(driver, (counts.get(driver) ?? 0) + 1)
  return counts
}
