import type { PersistentVolume, PersistentVolumeClaim, Pod } from '../../api/core/v1.types.ts'
import type { CSINode, StorageClass } from '../../api/storage/v1.types.ts'
import { migratedDriver } from '../shared/csi-migration.ts'
import { classOf } from '../shared/volumes.ts'
import { foreignClaim, volumeClaims } from './pod-claims.ts'
import type { ClusterObjects } from './snapshot.ts'

/** A volume that a driver attaches to a node. */
interface DriverVolume {
  /** Name of the CSI driver. */
  readonly driver: string
  /** Identifies the volume to its driver. */
  readonly handle: string
}

/** Drivers by the unique name of a volume. A volume that several pods use is listed once. */
export type AttachedVolumes = Map<string, string>

/** A pod cannot be scheduled before this claim exists. */
export class MissingClaim extends Error {}

/** Annotation of a CSINode with the plugins whose volumes a CSI driver handles on the node. */
const MIGRATED_PLUGINS = 'storage.alpha.kubernetes.io/migrated-plugins'

const isMigratedOn = (node: CSINode | undefined, plugin: string): boolean =>
  migratedDriver(plugin) !== undefined && (node?.metadata.annotations?.[MIGRATED_PLUGINS]?.split(',').includes(plugin) ?? false)

/**
 * Adds the volumes of a pod that drivers attach. Source: filterAttachableVolumes of the plugin NodeVolumeLimits.
 * @param isNew whether the pod is to be scheduled. It throws a MissingClaim if a claim does not exist then, and an
 * Error if a claim is that of another pod.
 */
export function addAttachable(
  pod: Pod,
  isNew: boolean,
  node: CSINode | undefined,
  objects: ClusterObjects,
  volumes: AttachedVolumes,
): void {
  for (const volume of pod.spec.volumes ?? []) addVolume(inlineVolume(volume, node), volumes)
  for (const { name, isEphemeral, claim } of volumeClaims(pod, objects)) {
    if (claim === undefined) {
      if (isNew) throw new MissingClaim(`looking up PVC ${pod.metadata.namespace}/${name}: persistentvolumeclaims "${name}" not found`)
      continue
    }
    const foreign = isEphemeral ? foreignClaim(pod, claim) : undefined
    if (foreign !== undefined) throw new Error(foreign)
    addVolume(volumeOfClaim(claim, node, objects), volumes)
  }
}

/** Adds a volume under its unique name. */
function addVolume(volume: DriverVolume | undefined, volumes: AttachedVolumes): void {
  if (volume) volumes.set(`${volume.driver}/${volume.handle}`, volume.driver)
}

/** Returns the volume behind a claim. A claim without a volume counts for the provisioner of its class. */
function volumeOfClaim(claim: PersistentVolumeClaim, node: CSINode | undefined, objects: ClusterObjects): DriverVolume | undefined {
  const volume = claim.spec.volumeName ? objects.get<PersistentVolume>('PersistentVolume', '', claim.spec.volumeName) : undefined
  if (volume) return csiVolume(volume, node)
  const className = classOf(claim)
  const provisioner = className === '' ? undefined : objects.get<StorageClass>('StorageClass', '', className)?.provisioner
  if (!provisioner) return undefined
  const handle = `unbound ${claim.metadata.namespace}/${claim.metadata.name}`
  const driver = migratedDriver(provisioner)
  if (driver === undefined) return { driver: provisioner, handle }
  return isMigratedOn(node, provisioner) ? { driver, handle } : undefined
}

/** Returns the CSI volume of a PersistentVolume. Undefined if no CSI driver handles it on the node. */
export function csiVolume({ spec }: PersistentVolume, node: CSINode | undefined): DriverVolume | undefined {
  return spec.csi ? { driver: spec.csi.driver, handle: spec.csi.volumeHandle } : inlineVolume(spec, node)
}

/** Sources of plugins that drivers have replaced, of a PersistentVolume or of a volume of a pod. */
interface InTreeSource {
  readonly awsElasticBlockStore?: { readonly volumeID: string }
  readonly gcePersistentDisk?: { readonly pdName: string }
  readonly azureDisk?: { readonly diskURI: string }
  readonly azureFile?: { readonly shareName: string }
  readonly cinder?: { readonly volumeID: string }
  readonly vsphereVolume?: { readonly volumePath: string }
  readonly portworxVolume?: { readonly volumeID: string }
}

/** Identifiers of volumes by the plugin of their source. */
const IN_TREE_IDS: readonly (readonly [plugin: string, idOf: (source: InTreeSource) => string | undefined])[] = [
  ['kubernetes.io/aws-ebs', source => source.awsElasticBlockStore?.volumeID],
  ['kubernetes.io/gce-pd', source => source.gcePersistentDisk?.pdName],
  ['kubernetes.io/azure-disk', source => source.azureDisk?.diskURI],
  ['kubernetes.io/azure-file', source => source.azureFile?.shareName],
  ['kubernetes.io/cinder', source => source.cinder?.volumeID],
  ['kubernetes.io/vsphere-volume', source => source.vsphereVolume?.volumePath],
  ['kubernetes.io/portworx-volume', source => source.portworxVolume?.volumeID],
]

/** Returns the CSI volume of a source of a plugin that a driver has replaced on the node. */
function inlineVolume(source: InTreeSource, node: CSINode | undefined): DriverVolume | undefined {
  for (const [plugin, idOf] of IN_TREE_IDS) {
    const handle = idOf(source)
    if (handle === undefined) continue
    const driver = migratedDriver(plugin)
    if (driver !== undefined && isMigratedOn(node, plugin)) return { driver, handle }
  }
  return undefined
}
