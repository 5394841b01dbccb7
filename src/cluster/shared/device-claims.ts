import type { Pod, PodResourceClaim } from '../../api/core/v1.types.ts'
import type { ResourceClaim, ResourceClaimConsumerReference } from '../../api/resource/v1beta2.types.ts'
import { objectKey } from '../../clients/api-client.ts'
import type { Features } from '../../lifecycle/gates.ts'
import { isSince, type Release } from '../../lifecycle/release.ts'
import type { PodGroupObject } from './group-kinds.ts'
import { controllerOf, isControlledBy } from './owner.ts'

/** Most pods for which a claim can be reserved. */
export const MOST_CONSUMERS = 256
/** API group and resource of groups of pods. */
const [SCHEDULING, PODGROUPS] = ['scheduling.k8s.io', 'podgroups']
/** Finalizer of a claim with an allocation. */
export const ALLOCATED_FINALIZER = 'resource.kubernetes.io/delete-protection'

/** The claim object of a claim in a pod, or in a group of pods. */
export interface ClaimReference {
  /** Undefined if the claim is not made yet, or none is needed. */
  readonly name: string | undefined
  /** Whether the claim is made of a template, for the pod or its group. */
  readonly isGenerated: boolean
  /** Whether a claim has to be made of the template. */
  readonly isMissing: boolean
}

/** A claim in the spec of a pod, or of a group of pods. */
export type ClaimEntry = Pick<PodResourceClaim, 'name' | 'resourceClaimName' | 'resourceClaimTemplateName'>

/** A pod, or a group of pods: the status names the claims that were made of templates. */
export interface ClaimUser {
  readonly status?: { readonly resourceClaimStatuses?: readonly { readonly name: string; readonly resourceClaimName?: string }[] }
}

/**
 * Returns the claim object of a claim in a pod, or in a group of pods. Source: Name, NameFromPodGroup of
 * k8s.io/dynamic-resource-allocation/resourceclaim.
 */
export function claimReference({ status }: ClaimUser, { name, resourceClaimName, resourceClaimTemplateName }: ClaimEntry): ClaimReference {
  if (resourceClaimName !== undefined) return { name: resourceClaimName, isGenerated: false, isMissing: false }
  const known = status?.resourceClaimStatuses?.find(each => each.name === name)
  return { name: known?.resourceClaimName, isGenerated: true, isMissing: resourceClaimTemplateName !== undefined && known === undefined }
}

/** Keys `namespace/name` of the device claims of a pod, or of a group of pods, that have names. */
export const deviceClaimKeys = (user: Pod | PodGroupObject): string[] =>
  (user.spec.resourceClaims ?? []).flatMap(each => {
    const { name } = claimReference(user, each)
    return name === undefined ? [] : [`${user.metadata.namespace ?? ''}/${name}`]
  })

/** How claims belong to pods in a release. */
export interface ClaimRules {
  readonly release: Release
  /** Whether groups of pods can have claims: gate DRAWorkloadResourceClaims. */
  readonly ofGroups: boolean
}

export const claimRules = ({ release, enabled }: Pick<Features, 'release' | 'enabled'>): ClaimRules => ({
  release,
  ofGroups: enabled('DRAWorkloadResourceClaims'),
})

/** Returns the name of a pod's group. Undefined if it belongs to none. */
export const groupNameOf = ({ spec }: Pick<Pod, 'spec'>): string | undefined => spec.schedulingGroup?.podGroupName

/** Keys `namespace/name` of the group of a pod that has claims. */
export function podGroupKeys({ metadata: { namespace = '' }, spec }: Pod): string[] {
  const group = spec.resourceClaims?.length ? groupNameOf({ spec }) : undefined
  return group === undefined ? [] : [`${namespace}/${group}`]
}

/** Whether a consumer of a claim is a group of pods. */
export const isPodGroup = ({ apiGroup, resource }: ResourceClaimConsumerReference): boolean =>
  apiGroup === SCHEDULING && resource === PODGROUPS

/**
 * Whether a claim is reserved for a pod, or for its group. Pods do not have the uid of their group. Source:
 * IsReservedForPod of k8s.io/dynamic-resource-allocation/resourceclaim.
 */
export const isReservedFor = (
  { status }: ResourceClaim,
  pod: Pick<Pod, 'metadata' | 'spec'>,
  { ofGroups }: Pick<ClaimRules, 'ofGroups'>,
): boolean =>
  status.reservedFor?.some(user => user.uid === pod.metadata.uid || (ofGroups && isPodGroup(user) && user.name === groupNameOf(pod))) ??
  false

/**
 * Returns why a generated claim is neither that of the pod nor that of its group. Undefined if it is. Source: IsForPod.
 */
export function foreignResourceClaim(pod: Pod, claim: ResourceClaim, { release, ofGroups }: ClaimRules): string | undefined {
  if (isControlledBy(claim, pod)) return undefined
  const group = ofGroups ? groupNameOf(pod) : undefined
  const owner = controllerOf(claim)
  if (group !== undefined && owner?.kind === 'PodGroup' && owner.name === group && owner.apiVersion.startsWith(`${SCHEDULING}/`))
    return undefined
  const [kind, key] = [isSince(release, '1.36') ? 'Pod' : 'pod', objectKey(pod)]
  const reason = group === undefined ? `${kind} is not owner` : `neither Pod nor PodGroup ${group} is the owner`
  return `ResourceClaim ${objectKey(claim)} was not created for ${kind} ${key} (${reason})`
}

/** Returns the claim of a group that a claim of a pod refers to: the one that equals it. Source: BindTo. */
export const groupClaimOf = (
  { name, resourceClaimName, resourceClaimTemplateName }: ClaimEntry,
  group: PodGroupObject | undefined,
): ClaimEntry | undefined =>
  group?.spec.resourceClaims?.find(
    each =>
      each.name === name && each.resourceClaimName === resourceClaimName && each.resourceClaimTemplateName === resourceClaimTemplateName,
  )

/**
 * Returns the reference to the consumer for which a claim is reserved: the pod, or its group if that has the claim.
 * @param group the pod's group; undefined if groups have no claims
 */
export function consumerOf(pod: Pod, claim: ResourceClaim, group: PodGroupObject | undefined): ResourceClaimConsumerReference {
  const isOfGroup = (pod.spec.resourceClaims ?? []).some(
    each => groupClaimOf(each, group) !== undefined && claimReference(pod, each).name === claim.metadata.name,
  )
  const { name = '', uid = '' } = isOfGroup && group ? group.metadata : pod.metadata
  return isOfGroup ? { apiGroup: SCHEDULING, resource: PODGROUPS, name, uid } : { resource: 'pods', name, uid }
}
