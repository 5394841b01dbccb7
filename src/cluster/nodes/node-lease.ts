import type { Lease } from '../../api/coordination/v1.types.ts'
import type { Node } from '../../api/core/v1.types.ts'
import { formatMicroTime, timeMillis } from '../../meta/time.ts'
import { NODE_LEASE_NAMESPACE } from '../shared/nodes.ts'
import { RENEW_MS } from './renewal-slots.ts'

const DURATION_SECONDS = 40

/** Returns the lease of a node, as a kubelet creates it. */
export function newLease({ metadata: { name = '', uid = '' } }: Node, now: number): Lease {
  return {
    kind: 'Lease',
    apiVersion: 'coordination.k8s.io/v1',
    metadata: { name, namespace: NODE_LEASE_NAMESPACE, ownerReferences: [nodeReference(name, uid)] },
    spec: { holderIdentity: name, leaseDurationSeconds: DURATION_SECONDS, renewTime: formatMicroTime(now) },
  }
}

/**
 * Returns a lease that is renewed now. It belongs to the node of this uid, also if an earlier node of the name had
 * created it.
 */
export function renewedLease(lease: Lease, { metadata: { name = '', uid = '' } }: Node, now: number): Lease {
  const isOwned = lease.metadata.ownerReferences?.some(reference => reference.uid === uid) ?? false
  return {
    ...lease,
    metadata: isOwned ? lease.metadata : { ...lease.metadata, ownerReferences: [nodeReference(name, uid)] },
    spec: { ...lease.spec, holderIdentity: name, leaseDurationSeconds: DURATION_SECONDS, renewTime: formatMicroTime(now) },
  }
}

/**
 * Reports whether half of the interval has passed since the last renewal, so that a renewal in its slot is never left
 * out.
 */
export const isRenewalDue = (lease: Lease, now: number): boolean => now - (timeMillis(lease.spec.renewTime) ?? 0) >= RENEW_MS / 2

const nodeReference = (name: string, uid: string): { apiVersion: string; kind: string; name: string; uid: string } => ({
  apiVersion: 'v1',
  kind: 'Node',
  name,
  uid,
})
