import type { Node, PersistentVolume, PersistentVolumeClaim } from '../../api/core/v1.types.ts'
import type { StorageClass } from '../../api/storage/v1.types.ts'
import { objectKey } from '../../clients/api-client.ts'
import { runIfSteps, type Steps } from '../../lib/steps.ts'
import { matchesLabels } from '../../meta/label-selector.ts'
import { compareQuantity } from '../../meta/quantity.ts'
import { timeMillis } from '../../meta/time.ts'
import { matchesNodeSelector } from './node-affinity.ts'
import { selectorOf } from './selectors.ts'
import { withMembers } from './with-members.ts'

/** Annotation of a claim that has been bound. */
export const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed'
/**
 * Annotation of a claim or volume whose reference to the other was set by the binder or the scheduler, not by a user.
 */
export const BOUND_BY_CONTROLLER = 'pv.kubernetes.io/bound-by-controller'
/** Annotation of a claim with the node for which a volume is to be provisioned. */
export const SELECTED_NODE = 'volume.kubernetes.io/selected-node'
/** Annotation of a volume with the name of its provisioner. */
export const PROVISIONED_BY = 'pv.kubernetes.io/provisioned-by'
/** Finalizer that keeps a volume until the provisioner has deleted what is behind it. */
export const PROVISIONER_FINALIZER = 'external-provisioner.volume.kubernetes.io/finalizer'
/** Annotations of a claim with the name of the provisioner that shall provide its volume. */
export const STORAGE_PROVISIONER = 'volume.kubernetes.io/storage-provisioner'
export const BETA_STORAGE_PROVISIONER = 'volume.beta.kubernetes.io/storage-provisioner'

const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class'
const DEFAULT_CLASS = 'storageclass.kubernetes.io/is-default-class'
const BETA_DEFAULT_CLASS = 'storageclass.beta.kubernetes.io/is-default-class'

type HasClass = Pick<PersistentVolume | PersistentVolumeClaim, 'metadata'> & { readonly spec: { readonly storageClassName?: string } }

/** Returns the storage class of a claim or volume. Undefined if neither the annotation nor the field is set. */
export const namedClass = ({ metadata, spec }: HasClass): string | undefined =>
  metadata.annotations?.[CLASS_ANNOTATION] ?? spec.storageClassName

/** Returns the storage class of a claim or volume. Empty if it has none. */
export const classOf = (object: HasClass): string => namedClass(object) ?? ''

export const hasAnnotation = ({ metadata }: Pick<PersistentVolume, 'metadata'>, name: string): boolean =>
  metadata.annotations?.[name] !== undefined

/** Reports whether the binder and the scheduler have bound a claim. */
export const isFullyBound = (claim: PersistentVolumeClaim): boolean =>
  (claim.spec.volumeName ?? '') !== '' && hasAnnotation(claim, BIND_COMPLETED)

/** Reports whether volumes of the class are bound only when a pod needs them. */
export const isDelayed = (storageClass: StorageClass | undefined): boolean => storageClass?.volumeBindingMode === 'WaitForFirstConsumer'

/**
 * Returns the newest default class, of equally old ones the first by name. Source: GetDefaultClass of pkg/volume/util.
 */
export function defaultClass(classes: Iterable<StorageClass>): StorageClass | undefined {
  const created = ({ metadata }: StorageClass): number => timeMillis(metadata.creationTimestamp) ?? 0
  return [...classes]
    .filter(({ metadata: { annotations } }) => annotations?.[DEFAULT_CLASS] === 'true' || annotations?.[BETA_DEFAULT_CLASS] === 'true')
    .toSorted((a, b) => created(b) - created(a) || ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1))[0]
}

/**
 * Reports whether a volume refers to a claim, by a user or by the binder. A reference without a uid is to any claim of
 * the name. Source: IsVolumeBoundToClaim.
 */
export function refersTo(
  { spec: { claimRef } }: Pick<PersistentVolume, 'spec'>,
  { metadata }: Pick<PersistentVolumeClaim, 'metadata'>,
): boolean {
  if (claimRef === undefined || claimRef.name !== metadata.name || claimRef.namespace !== metadata.namespace) return false
  return !claimRef.uid || claimRef.uid === metadata.uid
}

/** Returns the volume with a reference to the claim. Undefined if it has that already. */
export function withClaimRef(volume: PersistentVolume, claim: PersistentVolumeClaim): PersistentVolume | undefined {
  if (isMarked(volume, claim) && volume.spec.claimRef?.uid === claim.metadata.uid) return undefined
  const { namespace = '', name = '', uid = '', resourceVersion = '' } = claim.metadata
  const claimRef = { kind: 'PersistentVolumeClaim', namespace, name, uid, apiVersion: 'v1', resourceVersion }
  return { ...volume, spec: { ...volume.spec, claimRef } }
}

/** Whether the reference of a volume is a user's, or is marked as a controller's. */
const isMarked = (volume: PersistentVolume, claim: PersistentVolumeClaim): boolean =>
  refersTo(volume, claim) || hasAnnotation(volume, BOUND_BY_CONTROLLER)

/**
 * Returns the volume with a reference to the claim that is marked as made by a controller, in steps if it has many
 * annotations. Undefined if it has that already. Source: GetBindVolumeToClaim.
 */
export function* boundToClaim(volume: PersistentVolume, claim: PersistentVolumeClaim): Steps<PersistentVolume | undefined> {
  const bound = withClaimRef(volume, claim)
  if (bound === undefined || isMarked(volume, claim)) return bound
  const annotations = yield* runIfSteps(withMembers(volume.metadata.annotations, { [BOUND_BY_CONTROLLER]: 'yes' }))
  return { ...bound, metadata: { ...volume.metadata, annotations } }
}

/**
 * Reports whether a claim requests a block device and the volume is a file system, or the reverse. An absent mode means
 * a file system.
 */
export const hasOtherMode = (claim: Pick<PersistentVolumeClaim, 'spec'>, volume: Pick<PersistentVolume, 'spec'>): boolean =>
  (claim.spec.volumeMode || 'Filesystem') !== (volume.spec.volumeMode || 'Filesystem')

/** Reports whether a volume has all access modes of a claim. */
export const hasAccessModes = ({ spec }: PersistentVolumeClaim, volume: PersistentVolume): boolean =>
  (spec.accessModes ?? []).every(mode => volume.spec.accessModes?.includes(mode))

export const capacityOf = ({ spec }: PersistentVolume): string | undefined => spec.capacity?.storage
export const requestedStorage = ({ spec }: PersistentVolumeClaim): string | undefined => spec.resources?.requests?.storage

/** Reports whether a node may use a volume. Only labels of the node count. */
export function isReachable({ spec: { nodeAffinity } }: PersistentVolume, { metadata: { labels } }: Pick<Node, 'metadata'>): boolean {
  const required = nodeAffinity?.required
  return required === undefined || matchesNodeSelector(required, { metadata: { ...(labels && { labels }) } })
}

/** How a volume is searched for a claim. */
export interface VolumeSearch {
  /** Whether the class of attributes must be equal, as releases with VolumeAttributesClass require. */
  readonly matchAttributes: boolean
  /** Optional. Node that must reach the volume, for the scheduler. */
  readonly node?: Pick<Node, 'metadata'>
  /** Optional. Names of volumes that other claims of the pod have taken. */
  readonly taken?: ReadonlySet<string>
  /** Optional. Whether only volumes are returned that refer to the claim, because the scheduler binds others. */
  readonly isDelayed?: boolean
}

/**
 * Returns the volume that refers to a claim, or the smallest available one that satisfies it. Source:
 * FindMatchingVolume of k8s.io/component-helpers.
 */
export function matchingVolume(
  claim: PersistentVolumeClaim,
  volumes: Iterable<PersistentVolume>,
  search: VolumeSearch,
): PersistentVolume | undefined {
  const selector = claim.spec.selector === undefined ? undefined : selectorOf(claim.spec.selector)
  const request = requestedStorage(claim)
  let smallest: PersistentVolume | undefined
  for (const volume of volumes) {
    const isOwn = refersTo(volume, claim)
    if (search.taken?.has(volume.metadata.name ?? '') || (volume.spec.claimRef !== undefined && !isOwn)) continue
    if (compareQuantity(capacityOf(volume), request) < 0 || hasOtherMode(claim, volume)) continue
    if (search.matchAttributes && (claim.spec.volumeAttributesClassName ?? '') !== (volume.spec.volumeAttributesClassName ?? '')) continue
    if (volume.metadata.deletionTimestamp !== undefined) continue
    if (isOwn) return search.node === undefined || isReachable(volume, search.node) ? volume : undefined
    if (search.node === undefined && search.isDelayed) continue
    if (volume.status.phase !== 'Available' || classOf(volume) !== classOf(claim)) continue
    if (selector && !matchesLabels(selector, volume.metadata.labels)) continue
    if (search.node && !(isReachable(volume, search.node) && hasAccessModes(claim, volume))) continue
    if (smallest === undefined || compareQuantity(capacityOf(smallest), capacityOf(volume)) > 0) smallest = volume
  }
  return smallest
}

/** Key of the claim that a volume refers to. Undefined if it refers to none. */
export const claimKeyOf = ({ spec: { claimRef } }: PersistentVolume): string | undefined =>
  claimRef && objectKey({ kind: '', apiVersion: '', metadata: { namespace: claimRef.namespace ?? '', name: claimRef.name ?? '' } })
