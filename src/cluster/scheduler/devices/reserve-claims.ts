import type { Pod } from '../../../api/core/v1.types.ts'
import type { AllocationResult, ResourceClaim } from '../../../api/resource/v1beta2.types.ts'
import { objectKey, type ResourceKind } from '../../../clients/api-client.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import { isStatusError } from '../../../meta/status.ts'
import { formatTime } from '../../../meta/time.ts'
import { ALLOCATED_FINALIZER, isReservedFor } from '../../shared/device-claims.ts'
import type { BindingContext, Reservation } from '../framework.ts'
import type { ClaimAllocations } from './claim-allocations.ts'

/** Attempts to write a claim that others change. Source: DefaultRetry of k8s.io/client-go/util/retry. */
const ATTEMPTS = 5

/** How claims are written. */
export interface ClaimWriter {
  readonly kind: ResourceKind<ResourceClaim>
  /** Whether allocations have the time at which they were made. */
  readonly recordsTime: boolean
}

/** Reserves claims for a pod. @param results allocations of the claims that have none, by uid */
export function reserveClaims(
  pod: Pod,
  claims: readonly ResourceClaim[],
  results: ReadonlyMap<string, AllocationResult>,
  allocations: ClaimAllocations,
  writer: ClaimWriter,
): Reservation {
  const current = [...claims]
  const allocated = claims.filter(({ metadata }) => results.has(metadata.uid ?? ''))
  for (const claim of allocated) {
    const allocation = results.get(claim.metadata.uid ?? '')
    allocations.begin({ ...claim, status: { ...claim.status, ...(allocation && { allocation }) } })
  }
  return {
    async preBind(context) {
      for (const [i, claim] of claims.entries()) {
        if (isReservedFor(claim, pod)) continue
        const written = await bindClaim(pod, claim, results.get(claim.metadata.uid ?? ''), context, writer)
        allocations.wrote(written)
        allocations.end(written)
        current[i] = written
      }
      return undefined
    },
    async unreserve({ client }) {
      for (const claim of allocated) allocations.end(claim)
      for (const claim of current) {
        if (claim.status.allocation === undefined || !isReservedFor(claim, pod)) continue
        const { namespace = '', name = '', uid = '' } = claim.metadata
        const patch = { metadata: { uid }, status: { reservedFor: [{ $patch: 'delete', uid: pod.metadata.uid ?? '' }] } }
        try {
          allocations.wrote(await client.patch(writer.kind, { namespace, name, subresource: 'status' }, patch, 'strategic'))
        } catch {
          // The pod is scheduled again, and keeps its reservation until then. If it is gone, the controller of claims removes it.
        }
      }
    },
  }
}

/** Writes the allocation of a claim, and reserves it for the pod. Rejects with an Error if another client was faster. Source: bindClaim. */
async function bindClaim(
  pod: Pod,
  claim: ResourceClaim,
  allocation: AllocationResult | undefined,
  context: BindingContext,
  { kind, recordsTime }: ClaimWriter,
): Promise<ResourceClaim> {
  const { client, clock } = context
  const { namespace = '', name = '' } = claim.metadata
  const key = objectKey(claim)
  const attempt = async (current: ResourceClaim): Promise<ResourceClaim> => {
    if (current.metadata.deletionTimestamp !== undefined) throw new Error(`claim ${key} got deleted in the meantime`)
    if (allocation && current.status.allocation !== undefined) throw new Error(`claim ${key} got allocated elsewhere in the meantime`)
    const kept = allocation ? await protect(current, context, kind) : current
    const made = allocation && { ...allocation, ...(recordsTime && { allocationTimestamp: formatTime(clock.now()) }) }
    const reservedFor = [...(kept.status.reservedFor ?? []), { resource: 'pods', name: pod.metadata.name ?? '', uid: pod.metadata.uid ?? '' }]
    return await client.update(kind, { ...kept, status: { ...kept.status, ...(made && { allocation: made }), reservedFor } }, 'status')
  }
  for (let i = 1; ; i++)
    try {
      return await attempt(i === 1 ? claim : await client.get(kind, namespace, name))
    } catch (error) {
      if (i < ATTEMPTS && isStatusError(error, 'Conflict')) continue
      const what = allocation ? 'add allocation and reservation to' : 'add reservation to'
      throw isStatusError(error) ? new Error(`${what} claim ${key}: ${errorMessage(error)}`, { cause: error }) : error
    }
}

/** Adds the finalizer that keeps an allocated claim. */
async function protect(claim: ResourceClaim, { client }: BindingContext, kind: ResourceKind<ResourceClaim>): Promise<ResourceClaim> {
  const { finalizers = [] } = claim.metadata
  if (finalizers.includes(ALLOCATED_FINALIZER)) return claim
  return await client.update(kind, { ...claim, metadata: { ...claim.metadata, finalizers: [...finalizers, ALLOCATED_FINALIZER] } })
}
