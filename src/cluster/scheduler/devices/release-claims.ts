import type { Pod } from '../../../api/core/v1.types.ts'
import type { ResourceClaim, ResourceClaimConsumerReference } from '../../../api/resource/v1beta2.types.ts'
import type { ApiClient, ResourceKind } from '../../../clients/api-client.ts'
import { isStatusError } from '../../../meta/status.ts'
import { ALLOCATED_FINALIZER, groupNameOf, isPodGroup } from '../../shared/device-claims.ts'
import type { BindingContext, PostFiltered, UnplacedGroup } from '../framework.ts'

/** Result for a pod whose claims keep no devices that others could use. */
export const NO_CLAIMS: PostFiltered = { message: 'no new claims to deallocate' }
const STILL_UNSCHEDULABLE: PostFiltered = { message: 'still not schedulable' }

/** Claims of a pod that keep it from being scheduled. */
export interface Obstacles {
  /** Claims that are allocated where the pod cannot run. */
  readonly unavailable: ReadonlySet<ResourceClaim>
  /** Optional. Claim for extended resources of an earlier attempt. */
  readonly stale: ResourceClaim | undefined
}

/**
 * Releases a claim that is allocated where the pod cannot run, and that no other pod uses, or deletes the claim for
 * extended resources of an earlier attempt. A claim that is reserved for the pod's group is released if none of its
 * pods have nodes. Source: PostFilter, PodGroupPostFilter.
 */
export function releaseClaim(
  pod: Pod,
  { unavailable, stale }: Obstacles,
  kind: ResourceKind<ResourceClaim>,
  group: UnplacedGroup | undefined,
): PostFiltered {
  const isUser = (user: ResourceClaimConsumerReference): boolean =>
    user.uid === pod.metadata.uid || (group?.hasNodes === false && isPodGroup(user) && user.name === groupNameOf(pod))
  const unused = [...unavailable].find(
    ({ metadata: { uid = '' }, status: { reservedFor = [] } }) => reservedFor.every(isUser) && !group?.released.has(uid),
  )
  if (unused !== undefined) {
    group?.released.add(unused.metadata.uid ?? '')
    const { allocation: _, reservedFor: __, devices: ___, ...status } = unused.status
    return {
      message: 'deallocation of ResourceClaim completed',
      write: async ({ client }: BindingContext) => void (await client.update(kind, { ...unused, status }, 'status')),
    }
  }
  if (stale === undefined) return STILL_UNSCHEDULABLE
  return { message: 'deletion of ResourceClaim completed', write: ({ client }: BindingContext) => deleteClaim(stale, client, kind) }
}

/** Deletes a claim, and removes the finalizer that keeps it. */
export async function deleteClaim(claim: ResourceClaim, client: ApiClient, kind: ResourceKind<ResourceClaim>): Promise<void> {
  const { namespace = '', name = '', finalizers = [] } = claim.metadata
  try {
    if (finalizers.includes(ALLOCATED_FINALIZER))
      await client.update(kind, {
        ...claim,
        metadata: { ...claim.metadata, finalizers: finalizers.filter(each => each !== ALLOCATED_FINALIZER) },
      })
    await client.delete(kind, namespace, name)
  } catch (error) {
    if (!isStatusError(error, 'NotFound')) throw error
  }
}
