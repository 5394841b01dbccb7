import type { PersistentVolume, PersistentVolumeClaim, PersistentVolumeClaimStatus } from '../../../api/core/v1.types.ts'
import { runIfSteps, type Steps } from '../../../lib/steps.ts'
import { deepEqual } from '../../../meta/equal.ts'
import { compareQuantity } from '../../../meta/quantity.ts'
import { migratedDriver } from '../../shared/csi-migration.ts'
import {
  BETA_STORAGE_PROVISIONER,
  BIND_COMPLETED,
  BOUND_BY_CONTROLLER,
  capacityOf,
  hasAnnotation,
  PROVISIONED_BY,
  PROVISIONER_FINALIZER,
  STORAGE_PROVISIONER,
} from '../../shared/volumes.ts'
import { withMembers } from '../../shared/with-members.ts'
import { MIGRATED_TO, PLUGIN_PREFIX } from './volume-decision.ts'

/** Finalizer of a volume of a plugin, until the plugin has deleted what is behind it. */
const PLUGIN_FINALIZER = 'kubernetes.io/pv-controller'

/** Annotation of a volume whose file system is still smaller than the volume, with its size. */
const PRE_RESIZE_CAPACITY = 'volume.alpha.kubernetes.io/pre-resize-capacity'

/** Returns the claim with a reference to its volume. Undefined if it has that already. */
export function* boundToVolume(
  claim: PersistentVolumeClaim,
  { metadata: { name = '' } }: PersistentVolume,
): Steps<PersistentVolumeClaim | undefined> {
  const added: Record<string, string> = {}
  if (claim.spec.volumeName !== name && !hasAnnotation(claim, BOUND_BY_CONTROLLER)) added[BOUND_BY_CONTROLLER] = 'yes'
  if (!hasAnnotation(claim, BIND_COMPLETED)) added[BIND_COMPLETED] = 'yes'
  if (claim.spec.volumeName === name && Object.keys(added).length === 0) return undefined
  return yield* annotated({ ...claim, spec: { ...claim.spec, volumeName: name } }, added)
}

/** Returns the claim with its provisioner in annotations. Undefined if they are set. */
export function* withProvisioner(claim: PersistentVolumeClaim, provisioner: string): Steps<PersistentVolumeClaim | undefined> {
  const { annotations } = claim.metadata
  if (annotations?.[STORAGE_PROVISIONER] === provisioner && annotations[BETA_STORAGE_PROVISIONER] === provisioner) return undefined
  return yield* annotated(claim, { [BETA_STORAGE_PROVISIONER]: provisioner, [STORAGE_PROVISIONER]: provisioner })
}

function* annotated<T extends PersistentVolume | PersistentVolumeClaim>(object: T, added: Record<string, string>): Steps<T> {
  const annotations = yield* runIfSteps(withMembers(object.metadata.annotations, added))
  return { ...object, metadata: { ...object.metadata, annotations } }
}

/**
 * Returns the volume without a reference to the claim. A reference that a user has made keeps the name of the claim.
 */
export function* unbound(volume: PersistentVolume): Steps<PersistentVolume> {
  const { claimRef, ...spec } = volume.spec
  if (!hasAnnotation(volume, BOUND_BY_CONTROLLER)) {
    const { uid: _, ...reference } = claimRef ?? {}
    return { ...volume, spec: { ...spec, claimRef: reference } }
  }
  const annotations = yield* runIfSteps(withMembers(volume.metadata.annotations))
  delete annotations[BOUND_BY_CONTROLLER]
  return { ...volume, metadata: { ...volume.metadata, annotations }, spec }
}

/**
 * Returns the status of a claim in a phase, with its volume if it has one. Undefined if nothing changes. A bound claim
 * keeps its capacity: a resize sets it.
 */
export function claimStatus(
  { status }: PersistentVolumeClaim,
  phase: 'Pending' | 'Bound' | 'Lost',
  volume: PersistentVolume | undefined,
): PersistentVolumeClaimStatus | undefined {
  const { accessModes, capacity, ...rest } = status
  if (volume === undefined)
    return status.phase === phase && accessModes === undefined && capacity === undefined ? undefined : { ...rest, phase }
  const isChanged = status.phase !== phase || !deepEqual(accessModes ?? [], volume.spec.accessModes ?? [])
  if (!isChanged) return undefined
  const isCurrent =
    status.phase === phase || (capacity?.storage !== undefined && compareQuantity(capacity.storage, capacityOf(volume)) === 0)
  const before = volume.metadata.annotations?.[PRE_RESIZE_CAPACITY]
  const size =
    before === undefined || status.phase === phase ? (isCurrent ? capacity : volume.spec.capacity) : { ...capacity, storage: before }
  return { ...rest, phase, ...(volume.spec.accessModes && { accessModes: volume.spec.accessModes }), ...(size && { capacity: size }) }
}

/**
 * Returns a volume with the marks of its plugin: the CSI driver that has replaced the plugin, and the finalizer that
 * keeps a volume until its plugin has deleted what is behind it. Undefined if nothing changes. Source:
 * updateVolumeMigrationAnnotationsAndFinalizers of pkg/controller/volume/persistentvolume.
 * @param keepsUntilDeleted whether volumes have the finalizer, as gate HonorPVReclaimPolicy says.
 */
export function* withPluginMarks(volume: PersistentVolume, keepsUntilDeleted: boolean): Steps<PersistentVolume | undefined> {
  const marked = yield* withMigration(volume, volume.metadata.annotations?.[PROVISIONED_BY])
  const finalizers = keepsUntilDeleted ? pluginFinalizers(volume) : undefined
  if (finalizers === undefined) return marked
  const { metadata } = marked ?? volume
  return { ...volume, metadata: { ...metadata, finalizers } }
}

/**
 * Returns a claim of a replaced plugin with the name of the CSI driver that has replaced it. Undefined if nothing
 * changes.
 */
export const withClaimMigration = (claim: PersistentVolumeClaim): Steps<PersistentVolumeClaim | undefined> =>
  withMigration(claim, claim.metadata.annotations?.[STORAGE_PROVISIONER] ?? claim.metadata.annotations?.[BETA_STORAGE_PROVISIONER])

function* withMigration<T extends PersistentVolume | PersistentVolumeClaim>(object: T, plugin: string | undefined): Steps<T | undefined> {
  if (plugin === undefined) return undefined
  const driver = migratedDriver(plugin)
  if ((object.metadata.annotations?.[MIGRATED_TO] ?? '') === (driver ?? '')) return undefined
  if (driver !== undefined) return yield* annotated(object, { [MIGRATED_TO]: driver })
  const annotations = yield* runIfSteps(withMembers(object.metadata.annotations))
  delete annotations[MIGRATED_TO]
  return { ...object, metadata: { ...object.metadata, annotations } }
}

/** Returns the finalizers that a volume should have. Undefined if it has them. */
function pluginFinalizers({ metadata, spec }: PersistentVolume): string[] | undefined {
  const provisioner = metadata.annotations?.[PROVISIONED_BY] ?? ''
  const isPlugin = isOfPlugin(provisioner)
  if (!isPlugin && migratedDriver(provisioner) === undefined) return undefined
  const { finalizers = [], deletionTimestamp } = metadata
  const isKept = isPlugin && spec.persistentVolumeReclaimPolicy === 'Delete'
  const wanted = finalizers.filter(each => (isKept || each !== PLUGIN_FINALIZER) && !(isPlugin && each === PROVISIONER_FINALIZER))
  // An object that is being deleted cannot get finalizers.
  if (isKept && !wanted.includes(PLUGIN_FINALIZER) && deletionTimestamp === undefined) wanted.push(PLUGIN_FINALIZER)
  return deepEqual(wanted, finalizers) ? undefined : wanted
}

/** Reports whether a provisioner is a plugin of kube-controller-manager that no CSI driver has replaced. */
const isOfPlugin = (provisioner: string): boolean => provisioner.startsWith(PLUGIN_PREFIX) && migratedDriver(provisioner) === undefined

/** Returns a volume without the finalizer of its plugin. Undefined if it has none. */
export function withoutPluginFinalizer(volume: PersistentVolume): PersistentVolume | undefined {
  const { finalizers = [] } = volume.metadata
  if (!finalizers.includes(PLUGIN_FINALIZER)) return undefined
  return { ...volume, metadata: { ...volume.metadata, finalizers: finalizers.filter(finalizer => finalizer !== PLUGIN_FINALIZER) } }
}
