import type { Pod, PodResourceClaim } from '../../api/core/v1.types.ts'
import type { ResourceClaim } from '../../api/resource/v1beta2.types.ts'
import { objectKey } from '../../clients/api-client.ts'
import { isControlledBy } from './owner.ts'

/** Most pods for which a claim can be reserved. */
export const MOST_CONSUMERS = 256
/** Finalizer of a claim with an allocation. */
export const ALLOCATED_FINALIZER = 'resource.kubernetes.io/delete-protection'

/** The claim object of a claim in a pod. */
export interface ClaimReference {
  /** Undefined if the claim is not made yet, or none is needed. */
  readonly name: string | undefined
  /** Whether the claim is made of a template, for the pod alone. */
  readonly isGenerated: boolean
  /** Whether a claim has to be made of the template. */
  readonly isMissing: boolean
}

/** Returns the claim object of a claim in a pod. Source: Name of k8s.io/dynamic-resource-allocation/resourceclaim. */
export function claimReference({ status }: Pod, { name, resourceClaimName, resourceClaimTemplateName }: PodResourceClaim): ClaimReference {
  if (resourceClaimName !== undefined) return { name: resourceClaimName, isGenerated: false, isMissing: false }
  const known = status.resourceClaimStatuses?.find(each => each.name === name)
  return { name: known?.resourceClaimName, isGenerated: true, isMissing: resourceClaimTemplateName !== undefined && known === undefined }
}

/** Keys `namespace/name` of the device claims of a pod that have names. */
export const deviceClaimKeys = (pod: Pod): string[] =>
  (pod.spec.resourceClaims ?? []).flatMap(each => {
    const { name } = claimReference(pod, each)
    return name === undefined ? [] : [`${pod.metadata.namespace ?? ''}/${name}`]
  })

/** Whether a claim is reserved for a pod. */
export const isReservedFor = ({ status }: ResourceClaim, { metadata }: Pick<Pod, 'metadata'>): boolean =>
  status.reservedFor?.some(({ uid }) => uid === metadata.uid) ?? false

/** Returns why a generated claim is not that of the pod. Undefined if it is. */
export const foreignResourceClaim = (pod: Pod, claim: ResourceClaim): string | undefined =>
  isControlledBy(claim, pod) ? undefined : `ResourceClaim ${objectKey(claim)} was not created for pod ${objectKey(pod)} (pod is not owner)`
