import type { ResourceClaim } from '../../../api/resource/v1beta2.types.ts'
import type { ResourceKind } from '../../../clients/api-client.ts'
import type { BindingContext } from '../framework.ts'
import type { ClusterObjects } from '../snapshot.ts'
import { untilMet } from '../wait-for-changes.ts'
import { bindingState, isBindingOverdue } from './binding-conditions.ts'
import { claimAllocationsOf } from './claim-allocations.ts'

/**
 * Waits until drivers have prepared the devices of claims. Rejects with an Error if one fails, or takes too long.
 * Source: isPodReadyForBinding.
 */
export async function untilDevicesAreReady(
  claims: readonly ResourceClaim[],
  objects: ClusterObjects,
  context: BindingContext,
  kind: ResourceKind<ResourceClaim>,
  timeoutMs: number,
): Promise<void> {
  const areReady = (): boolean =>
    claims.every(claim => {
      const current = latest(claim, objects)
      const state = bindingState(current)
      if (typeof state === 'object') throw new Error(state.failure)
      if (state === 'ready') return true
      if (isBindingOverdue(current, objects.now(), timeoutMs)) throw new Error(`claim ${claim.metadata.name} binding timeout`)
      return false
    })
  await untilMet(areReady, [kind], context, timeoutMs, 'device binding timeout')
}

/** Returns the latest state of a claim. One that is not observed yet is as it was written. */
function latest(claim: ResourceClaim, objects: ClusterObjects): ResourceClaim {
  const { namespace = '', name = '', uid } = claim.metadata
  const observed = objects.get<ResourceClaim>('ResourceClaim', namespace, name)
  return observed?.metadata.uid === uid && observed ? claimAllocationsOf(objects).latest(observed) : claim
}
