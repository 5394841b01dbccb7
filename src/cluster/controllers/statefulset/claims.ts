import type { StatefulSet } from '../../../api/apps/v1.types.ts'
import type { PersistentVolumeClaim, Pod } from '../../../api/core/v1.types.ts'
import type { OwnerReference, TypedObject } from '../../../api/meta/object.ts'
import type { ResourceKind } from '../../../clients/api-client.ts'
import { isStepDone, runIfSteps, type Steps } from '../../../lib/steps.ts'
import { memberNames, noteCopy } from '../../../lib/wide-objects.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'
import { setMember } from '../../../meta/equal.ts'
import { apiVersionOf } from '../../../meta/gvk.ts'
import { PODS, STATEFUL_SETS } from '../../shared/kinds.ts'
import { controllerReference } from '../../shared/owner.ts'
import { withMembers } from '../../shared/with-members.ts'
import { isInRange, ordinalOf } from './ordinals.ts'

/** Name of the claim of a template for the pod with an ordinal. */
export const claimName = (template: string, set: string, ordinal: number): string => `${template}-${set}-${ordinal}`

/**
 * Returns the claims of the pod with an ordinal, by the names of their templates, which are the names of the pod's
 * volumes. They lack the labels of the selector.
 */
export function claimsOf({ metadata, spec }: StatefulSet, ordinal: number): Map<string, PersistentVolumeClaim> {
  const { namespace = '', name = '' } = metadata
  return new Map(
    (spec.volumeClaimTemplates ?? []).map(template => {
      const of = template.metadata.name ?? ''
      const claim: PersistentVolumeClaim = {
        ...template,
        kind: 'PersistentVolumeClaim',
        apiVersion: 'v1',
        metadata: { ...template.metadata, name: claimName(of, name, ordinal), namespace },
      }
      return [of, claim]
    }),
  )
}

/** Returns a claim of a set with the labels of the selector, in steps if they are many. */
export function* withSelectorLabels({ spec }: StatefulSet, claim: PersistentVolumeClaim): Steps<PersistentVolumeClaim> {
  const labels = yield* runIfSteps(withMembers(claim.metadata.labels))
  const wanted = spec.selector?.matchLabels ?? {}
  for (const name of yield* memberNames(wanted)) {
    if (isStepDone()) yield
    setMember(labels, name, wanted[name])
  }
  noteCopy(wanted, labels)
  return { ...claim, metadata: { ...claim.metadata, labels } }
}

/** Whether the set deletes claims when it is scaled down. */
export const deletesOnScale = ({ spec }: StatefulSet): boolean => spec.persistentVolumeClaimRetentionPolicy?.whenScaled === 'Delete'
const deletesWithSet = ({ spec }: StatefulSet): boolean => spec.persistentVolumeClaimRetentionPolicy?.whenDeleted === 'Delete'

/** Owners that the retention policy gives to a claim. */
export interface ClaimOwners {
  readonly set: boolean
  readonly pod: boolean
}

/**
 * Returns the owners of a claim by the retention policy. The pod owns the claim only while it is about to be removed,
 * and the set then does not.
 */
export function ownersByPolicy(set: StatefulSet, isPodInRange: boolean): ClaimOwners {
  const pod = deletesOnScale(set) && !isPodInRange
  return { set: deletesWithSet(set) && !pod, pod }
}

const refersTo = (reference: OwnerReference, kind: ResourceKind<TypedObject>, { metadata: { name } }: TypedObject): boolean =>
  reference.apiVersion === apiVersionOf(kind) && reference.kind === kind.kind && reference.name === name

/** Whether a claim is owned by an earlier object of the same kind and name. */
function hasStaleOwner({ metadata }: PersistentVolumeClaim, kind: ResourceKind<TypedObject>, owner: TypedObject): boolean {
  const reference = metadata.ownerReferences?.find(each => refersTo(each, kind, owner))
  return reference !== undefined && reference.uid !== (owner.metadata.uid ?? '')
}

/** Whether the creation of a pod must wait for the removal of a claim that its predecessor owns. */
export const isStaleFor = (claim: PersistentVolumeClaim, pod: Pod): boolean => hasStaleOwner(claim, PODS, pod)

/**
 * Whether owners of a claim are its controllers. Before 1.32 they were plain owners, and other controllers were left
 * alone.
 */
const ownersAreControllers = (release: Release): boolean => isSince(release, '1.32')

/**
 * Whether another controller than the set and the pod manages a claim for which the set has a policy. Its owners are
 * then left to it.
 */
export function hasOtherController({ metadata }: PersistentVolumeClaim, set: StatefulSet, pod: Pod, release: Release): boolean {
  if (!ownersAreControllers(release) || (!deletesOnScale(set) && !deletesWithSet(set))) return false
  return (metadata.ownerReferences ?? []).some(reference => {
    if (refersTo(reference, STATEFUL_SETS, set)) return reference.uid !== (set.metadata.uid ?? '')
    if (refersTo(reference, PODS, pod)) return reference.uid !== (pod.metadata.uid ?? '')
    return reference.controller === true
  })
}

/**
 * Whether the owners of a claim need no change: they are those of the policy, or the claim has other owners, which are
 * left alone.
 */
export function hasOwnersOfPolicy(claim: PersistentVolumeClaim, set: StatefulSet, pod: Pod, release: Release): boolean {
  const references = claim.metadata.ownerReferences ?? []
  const ofSet = references.filter(({ uid }) => uid === set.metadata.uid)
  const ofPod = references.filter(({ uid }) => uid === pod.metadata.uid)
  if (ownersAreControllers(release)) {
    if (hasStaleOwner(claim, STATEFUL_SETS, set) || hasStaleOwner(claim, PODS, pod)) return true
    if (hasOtherController(claim, set, pod, release)) return ofSet.length === 0 && ofPod.length === 0
    if ([...ofSet, ...ofPod].some(({ controller }) => controller !== true)) return false
  }
  const owners = ownersByPolicy(set, isInRange(set, ordinalOf(pod)))
  return ofSet.length > 0 === owners.set && ofPod.length > 0 === owners.pod
}

/**
 * Returns a claim with the owners of the policy. If another controller manages it, the set and the pod no longer own
 * it.
 */
export function withOwnersOfPolicy(claim: PersistentVolumeClaim, set: StatefulSet, pod: Pod, release: Release): PersistentVolumeClaim {
  const owner = (kind: ResourceKind<TypedObject>, of: TypedObject): OwnerReference => {
    const { controller: _controller, blockOwnerDeletion: _block, ...plain } = controllerReference(kind, of)
    return ownersAreControllers(release) ? controllerReference(kind, of) : plain
  }
  const others = (claim.metadata.ownerReferences ?? []).filter(each => !refersTo(each, STATEFUL_SETS, set) && !refersTo(each, PODS, pod))
  const owners = hasOtherController(claim, set, pod, release)
    ? { set: false, pod: false }
    : ownersByPolicy(set, isInRange(set, ordinalOf(pod)))
  const ownerReferences = [...others, ...(owners.set ? [owner(STATEFUL_SETS, set)] : []), ...(owners.pod ? [owner(PODS, pod)] : [])]
  return { ...claim, metadata: { ...claim.metadata, ownerReferences } }
}
