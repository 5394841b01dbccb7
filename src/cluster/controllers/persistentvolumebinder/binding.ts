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
  STORAGE_PROVISIONER,
} from '../../shared/volumes.ts'
import { withMembers } from '../../shared/with-members.ts'
import { MIGRATED_TO } from './volume-decision.ts'

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
 * Returns a volume of a replaced plugin with the name of the CSI driver that has replaced it. Undefined if nothing
 * changes.
 */
export function* withMigration(volume: PersistentVolume): Steps<PersistentVolume | undefined> {
  const plugin = volume.metadata.annotations?.[PROVISIONED_BY]
  const driver = plugin === undefined ? undefined : migratedDriver(plugin)
  return driver === undefined || volume.metadata.annotations?.[MIGRATED_TO] === driver
    ? undefined
    : yield* annotated(volume, { [MIGRATED_TO]: driver })
}
