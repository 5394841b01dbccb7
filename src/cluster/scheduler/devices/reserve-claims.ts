import type { NodeAllocatableResourceClaimStatus, Pod } from '../../../api/core/v1.types.ts'
import type { JsonObject } from '../../../api/meta/object.ts'
import type { AllocationResult, ResourceClaim } from '../../../api/resource/v1beta2.types.ts'
import { type ApiClient, objectKey, type ResourceKind } from '../../../clients/api-client.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import { isStatusError } from '../../../meta/status.ts'
import { formatTime } from '../../../meta/time.ts'
import { ALLOCATED_FINALIZER, type ClaimRules, consumerOf, groupNameOf, isReservedFor } from '../../shared/device-claims.ts'
import type { PodGroupObject } from '../../shared/group-kinds.ts'
import { PODS } from '../../shared/kinds.ts'
import type { BindingContext, Reservation } from '../framework.ts'
import type { ClusterObjects } from '../snapshot.ts'
import { withShareIds } from './allocation-result.ts'
import { hasBindingConditions } from './binding-conditions.ts'
import { type ClaimAllocations, claimAllocationsOf } from './claim-allocations.ts'
import { claimToCreate } from './extended-resources.ts'
import type { AllocatedClaim } from './pod-claim-allocator.ts'
import { deleteClaim } from './release-claims.ts'
import { untilDevicesAreReady } from './wait-for-devices.ts'

/** Attempts to write a claim that others change. Source: DefaultRetry of k8s.io/client-go/util/retry. */
const ATTEMPTS = 5

/** How claims are written. */
export interface ClaimWriter {
  readonly kind: ResourceKind<ResourceClaim>
  readonly rules: ClaimRules
  /** Whether allocations have the time at which they were made. */
  readonly recordsTime: boolean
  /** Time for drivers to prepare devices. Omitted if devices have no conditions of binding. */
  readonly bindingTimeoutMs?: number
}

/** Claims to reserve on a node. */
export interface ReservedClaims {
  readonly node: string
  readonly claims: readonly ResourceClaim[]
  /** Allocations of the claims that have none, and of one for extended resources. */
  readonly allocated: readonly AllocatedClaim[]
  /** Resources of the node that the devices take. */
  readonly nodeResources: readonly NodeAllocatableResourceClaimStatus[]
}

/** Reserves claims for a pod on a node. */
export const reserveClaims = (pod: Pod, reserved: ReservedClaims, objects: ClusterObjects, writer: ClaimWriter): Reservation =>
  new ClaimReservation(pod, reserved, objects, writer)

class ClaimReservation implements Reservation {
  readonly #pod: Pod
  readonly #node: string
  readonly #allocated: readonly AllocatedClaim[]
  readonly #objects: ClusterObjects
  readonly #allocations: ClaimAllocations
  readonly #writer: ClaimWriter
  /** Claims as they were read or written last. */
  readonly #claims: ResourceClaim[]
  readonly #nodeResources: readonly NodeAllocatableResourceClaimStatus[]
  /** The claim for extended resources, once it is stored. */
  #extended: ResourceClaim | undefined

  constructor(pod: Pod, { node, claims, allocated, nodeResources }: ReservedClaims, objects: ClusterObjects, writer: ClaimWriter) {
    this.#pod = pod
    this.#node = node
    this.#claims = [...claims]
    this.#allocated = allocated
    this.#nodeResources = nodeResources
    this.#objects = objects
    this.#allocations = claimAllocationsOf(objects)
    this.#writer = writer
    for (const { claim, result } of allocated) this.#allocations.begin({ ...claim, status: { ...claim.status, allocation: result } }, pod)
  }

  async preBind(context: BindingContext): Promise<undefined> {
    for (const [i, claim] of this.#claims.entries()) {
      if (isReservedFor(claim, this.#pod, this.#writer.rules)) continue
      this.#claims[i] = await this.#allocations.write(claim, written => this.#bind(claim, written, context))
      this.#allocations.end(claim, this.#pod)
    }
    await this.#bindExtended(context)
    await this.#recordResources(context)
    const { bindingTimeoutMs } = this.#writer
    const claims = this.#extended ? [...this.#claims, this.#extended] : this.#claims
    if (bindingTimeoutMs === undefined || !claims.some(hasBindingConditions)) return undefined
    context.record(this.#pod, {
      type: 'Normal',
      reason: 'BindingConditionsPending',
      action: 'Scheduling',
      note: `waiting for binding conditions for device on node ${this.#node}`,
    })
    await untilDevicesAreReady(claims, this.#objects, context, this.#writer.kind, bindingTimeoutMs)
    return undefined
  }

  /** Writes allocation and reservation of a claim. @param written as it was written for another pod of the group */
  async #bind(claim: ResourceClaim, written: ResourceClaim | undefined, context: BindingContext): Promise<ResourceClaim> {
    if (written)
      return isReservedFor(written, this.#pod, this.#writer.rules)
        ? written
        : bindClaim(this.#user, written, undefined, context, this.#writer)
    const { result } = this.#allocated.find(each => each.claim === claim) ?? {}
    return bindClaim(this.#user, claim, result && withShareIds(result, context.newId), context, this.#writer)
  }

  get #user(): ClaimUser {
    const { metadata } = this.#pod
    const group = this.#writer.rules.ofGroups ? groupNameOf(this.#pod) : undefined
    return { pod: this.#pod, group: group === undefined ? undefined : this.#objects.get('PodGroup', metadata.namespace ?? '', group) }
  }

  /** Stores the claim for extended resources with its allocation, and names it in the pod. */
  async #bindExtended(context: BindingContext): Promise<void> {
    const { client } = context
    for (const { claim, result, mappings } of this.#allocated) {
      if (mappings === undefined) continue
      this.#extended = await client.create(this.#writer.kind, claimToCreate(claim))
      this.#extended = await bindClaim(this.#user, this.#extended, withShareIds(result, context.newId), context, this.#writer)
      this.#allocations.wrote(this.#extended)
      this.#allocations.end(claim, this.#pod)
      const { namespace = '', name = '' } = this.#pod.metadata
      const extendedResourceClaimStatus = {
        requestMappings: mappings.map(each => ({ ...each })),
        resourceClaimName: this.#extended.metadata.name ?? '',
      }
      await client.patch(PODS, { namespace, name, subresource: 'status' }, { status: { extendedResourceClaimStatus } }, 'strategic')
    }
  }

  /** Records in the status of the pod what its devices take of the node. */
  async #recordResources({ client }: BindingContext): Promise<void> {
    if (this.#nodeResources.length === 0) return
    const unstored = this.#allocated.find(({ mappings }) => mappings !== undefined)?.claim.metadata.name
    const { name: stored = '' } = this.#extended?.metadata ?? {}
    const statuses = this.#nodeResources.map(each => (each.resourceClaimName === unstored ? { ...each, resourceClaimName: stored } : each))
    await this.#writeResources(client, statuses)
  }

  async #writeResources(client: ApiClient, statuses: readonly NodeAllocatableResourceClaimStatus[]): Promise<void> {
    const { namespace = '', name = '', uid = '' } = this.#pod.metadata
    const patch: unknown = { metadata: { uid }, status: { nodeAllocatableResourceClaimStatuses: statuses } }
    await client.patch(PODS, { namespace, name, subresource: 'status' }, patch as JsonObject)
  }

  async unreserve({ client }: BindingContext): Promise<void> {
    const { kind } = this.#writer
    try {
      if (this.#nodeResources.length > 0) await this.#writeResources(client, [])
    } catch {
      // The next attempt for the pod replaces them.
    }
    for (const { claim } of this.#allocated) this.#allocations.end(claim, this.#pod)
    for (const claim of this.#claims) {
      // The reservation for a group remains: other pods may use the claim.
      if (claim.status.allocation === undefined || !isReservedFor(claim, this.#pod, { ofGroups: false })) continue
      const { namespace = '', name = '', uid = '' } = claim.metadata
      const patch = { metadata: { uid }, status: { reservedFor: [{ $patch: 'delete', uid: this.#pod.metadata.uid ?? '' }] } }
      try {
        this.#allocations.wrote(await client.patch(kind, { namespace, name, subresource: 'status' }, patch, 'strategic'))
      } catch {
        // The pod is scheduled again, and keeps its reservation until then. If it is gone, the controller of claims
        // removes it.
      }
    }
    try {
      if (this.#extended) await deleteClaim(this.#extended, client, kind)
    } catch {
      // The next attempt for the pod finds the claim, and deletes it.
    }
  }
}

/** A pod that uses a claim. */
interface ClaimUser {
  readonly pod: Pod
  /** Undefined if the pod belongs to none, or groups have no claims. */
  readonly group: PodGroupObject | undefined
}

/**
 * Writes the allocation of a claim, and reserves it for the pod or its group. Rejects with an Error if another client
 * was faster. Source: bindClaim.
 */
async function bindClaim(
  { pod, group }: ClaimUser,
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
    const reservedFor = [...(kept.status.reservedFor ?? []), consumerOf(pod, kept, group)]
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
