import type { Pod, PodExtendedResourceClaimStatus, PodResourceClaimStatus } from '../../../../api/core/v1.types.ts'
import { asKind } from '../../../../catalog/define.ts'
import { quote } from '../../../../lib/go-quote.ts'
import { startInTurns } from '../../../../lib/steps.ts'
import { deepEqual, deepEqualBySize } from '../../../../meta/equal.ts'
import { NODES, PODS } from '../../../kinds.ts'
import { MIRROR_POD } from '../../pod-spec/annotations.ts'
import { apiReference } from './api-references.ts'
import { found, type Restricted, refuseNode, requestedName, sinceOf } from './restricted.ts'

/** Allows nodes to create mirror pods, to delete pods that run on them, and to update the status of those. */
export function restrictPod(restricted: Restricted): Promise<void> {
  const { subresource } = restricted.request
  switch (subresource) {
    case '':
      return restrictWhole(restricted)
    case 'status':
      return restrictStatus(restricted)
    case 'eviction':
      return restrictEviction(restricted)
    default:
      throw refuseNode(restricted, `unexpected pod subresource ${quote(subresource)}, only 'status' and 'eviction' are allowed`)
  }
}

/**
 * A node creates only mirror pods and deletes pods that run on it; it may not update a pod other than by its status.
 * Throws 403.
 */
async function restrictWhole(restricted: Restricted): Promise<void> {
  const { request, node } = restricted
  switch (request.operation) {
    case 'CREATE':
      if (request.object) await restrictCreation(restricted, asKind(PODS, request.object))
      return
    case 'DELETE': {
      const pod = await found(restricted, PODS, { name: request.name, namespace: request.namespace })
      if (pod.spec.nodeName !== node)
        throw refuseNode(restricted, `node ${quote(node)} can only delete pods with spec.nodeName set to itself`)
      return
    }
    default:
      throw refuseNode(
        restricted,
        `unexpected operation ${quote(request.operation)}, node ${quote(node)} can only create and delete mirror pods`,
      )
  }
}

async function restrictCreation(restricted: Restricted, pod: Pod): Promise<void> {
  const node = quote(restricted.node)
  const { metadata, spec } = pod
  if (metadata.annotations?.[MIRROR_POD] === undefined)
    throw refuseNode(restricted, `pod does not have ${quote(MIRROR_POD)} annotation, node ${node} can only create mirror pods`)
  if (spec.nodeName !== restricted.node) throw refuseNode(restricted, `node ${node} can only create pods with spec.nodeName set to itself`)
  await checkOwner(restricted, pod)
  const reference = apiReference(pod, restricted)
  if (reference !== undefined) throw refuseNode(restricted, reference)
}

/** Checks the owner reference of a mirror pod: it must be its node, so that the pod is garbage-collected with it. */
async function checkOwner(restricted: Restricted, { metadata: { ownerReferences = [] } }: Pod): Promise<void> {
  const node = quote(restricted.node)
  const [owner, ...more] = ownerReferences
  if (more.length > 0) throw refuseNode(restricted, `node ${node} can only create pods with a single owner reference set to itself`)
  if (owner?.apiVersion !== 'v1' || owner.kind !== 'Node' || owner.name !== restricted.node)
    throw refuseNode(restricted, `node ${node} can only create pods with an owner reference set to itself`)
  if (!owner.controller) throw refuseNode(restricted, `node ${node} can only create pods with a controller owner reference set to itself`)
  if (owner.blockOwnerDeletion) throw refuseNode(restricted, `node ${node} must not set blockOwnerDeletion on an owner reference`)
  const unread = (why: string): string => `error looking up node ${restricted.node} to verify uid: ${why}`
  const { uid = '' } = (await found(restricted, NODES, { name: restricted.node }, unread)).metadata
  if (owner.uid !== uid) throw refuseNode(restricted, `node ${restricted.node} UID mismatch: expected ${owner.uid} got ${uid}`)
}

/**
 * A node may neither relabel a pod that runs on it nor change the claims that the scheduler has given to it.
 * Throws 403.
 */
async function restrictStatus(restricted: Restricted): Promise<void> {
  const { operation, old, object } = restricted.request
  const node = quote(restricted.node)
  if (operation !== 'UPDATE' || !old || !object) throw refuseNode(restricted, `unexpected operation ${quote(operation)}`)
  const [before, after] = [asKind(PODS, old), asKind(PODS, object)]
  if (before.spec.nodeName !== restricted.node)
    throw refuseNode(restricted, `node ${node} can only update pod status for pods with spec.nodeName set to itself`)
  if (!(await startInTurns(deepEqualBySize(before.metadata.labels ?? {}, after.metadata.labels ?? {}))))
    throw refuseNode(restricted, `node ${node} cannot update labels through pod status`)
  if (sinceOf(restricted, '1.28') && !haveSameClaims(before.status?.resourceClaimStatuses, after.status?.resourceClaimStatuses))
    throw refuseNode(restricted, `node ${node} cannot update resource claim statues`)
  if (sinceOf(restricted, '1.34') && !isSameExtended(before.status?.extendedResourceClaimStatus, after.status?.extendedResourceClaimStatus))
    throw refuseNode(restricted, `node ${node} cannot update extended resource claim status`)
}

const haveSameClaims = (a: readonly PodResourceClaimStatus[] = [], b: readonly PodResourceClaimStatus[] = []): boolean =>
  a.length === b.length && a.every(({ name, resourceClaimName }, i) => name === b[i]?.name && resourceClaimName === b[i]?.resourceClaimName)

const isSameExtended = (a: PodExtendedResourceClaimStatus | undefined, b: PodExtendedResourceClaimStatus | undefined): boolean =>
  a?.resourceClaimName === b?.resourceClaimName && deepEqual(a?.requestMappings, b?.requestMappings)

async function restrictEviction(restricted: Restricted): Promise<void> {
  const { request, node } = restricted
  if (request.operation !== 'CREATE') throw refuseNode(restricted, `unexpected operation ${request.operation}`)
  const name = requestedName(request)
  if (name === '') throw refuseNode(restricted, 'could not determine pod from request data')
  const pod = await found(restricted, PODS, { name, namespace: request.namespace })
  if (pod.spec.nodeName !== node) throw refuseNode(restricted, `node ${node} can only evict pods with spec.nodeName set to itself`)
}
