import { asKind } from '../../../../catalog/define.ts'
import { quote } from '../../../../lib/go-quote.ts'
import { RESOURCE_SLICES } from '../../../kinds.ts'
import { type Restricted, refuseNode, requestedName, sinceOf } from './restricted.ts'

const NODE_LEASES = 'kube-node-lease'

/** Allows a node to write one lease, which has the node's name. */
export function restrictLease(restricted: Restricted): void {
  const { request, node } = restricted
  if (request.namespace !== NODE_LEASES)
    throw refuseNode(restricted, `can only access leases in the ${quote(NODE_LEASES)} system namespace`)
  if (requestedName(request) !== node) throw refuseNode(restricted, 'can only access node lease with the same name as the requesting node')
}

/** Allows a node to write the CSINode that has its name. Throws 403. */
export function restrictCsiNode(restricted: Restricted): void {
  if (requestedName(restricted.request) !== restricted.node)
    throw refuseNode(restricted, 'can only access CSINode with the same name as the requesting node')
}

/**
 * Checks what the authorizer cannot see: the node of a slice that is created, and of each slice that a deletecollection
 * removes.
 */
export function restrictSlice(restricted: Restricted): void {
  const { operation, object, old } = restricted.request
  const slice = operation === 'CREATE' ? object : operation === 'DELETE' && sinceOf(restricted, '1.31') ? old : undefined
  if (!slice || asKind(RESOURCE_SLICES, slice).spec.nodeName === restricted.node) return
  const done = operation === 'CREATE' ? 'create' : 'delete'
  throw refuseNode(restricted, `can only ${done} ResourceSlice with the same NodeName as the requesting node`)
}
