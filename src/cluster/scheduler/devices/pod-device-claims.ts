import type { Pod } from '../../../api/core/v1.types.ts'
import type { ResourceClaim } from '../../../api/resource/v1beta2.types.ts'
import { objectKey } from '../../../clients/api-client.ts'
import { type ClaimRules, claimReference, foreignResourceClaim } from '../../shared/device-claims.ts'
import type { ClusterObjects } from '../snapshot.ts'
import { claimAllocationsOf } from './claim-allocations.ts'

/** Claims of a pod for devices, or why the pod has to wait for them. */
export type PodDeviceClaims = { readonly claims: readonly ResourceClaim[] } | { readonly problem: string }

/**
 * Returns the claims of a pod in their latest state, in the order of the pod. Claims that need not exist are left out.
 * Source: foreachPodResourceClaim.
 */
export function podDeviceClaims(pod: Pod, objects: ClusterObjects, rules: ClaimRules): PodDeviceClaims {
  const { namespace = '' } = pod.metadata
  const claims: ResourceClaim[] = []
  for (const each of pod.spec.resourceClaims ?? []) {
    const { name, isGenerated, isMissing } = claimReference(pod, each)
    if (isMissing) return { problem: `pod ${JSON.stringify(objectKey(pod))}: ResourceClaim not created yet` }
    if (name === undefined) continue
    const claim = objects.get<ResourceClaim>('ResourceClaim', namespace, name)
    if (claim === undefined) return { problem: `could not find ResourceClaim "${namespace}/${name}"` }
    if (claim.metadata.deletionTimestamp !== undefined) return { problem: `resourceclaim ${JSON.stringify(name)} is being deleted` }
    const foreign = isGenerated ? foreignResourceClaim(pod, claim, rules) : undefined
    if (foreign !== undefined) return { problem: foreign }
    claims.push(claimAllocationsOf(objects).latest(claim))
  }
  return { claims }
}
