import type { TypePackage } from '../../schema/idl.ts'

/** The types of coordination.k8s.io/v1. */
export const coordinationTypes: TypePackage = {
  id: 'coordination',
  definition: 'io.k8s.api.coordination.v1',
  source: `

type Lease typemeta # Says who holds something, and until when: heartbeats of nodes, and the election of leaders.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  spec 2 LeaseSpec? # What is wanted.

type LeaseList typemeta
  metadata 1 meta.ListMeta?
  items 2 []Lease

type LeaseSpec # Who holds the lease, since when and for how long.
  holderIdentity 1 *string?
  leaseDurationSeconds 2 *int32?
  acquireTime 3 *MicroTime?
  renewTime 4 *MicroTime?
  leaseTransitions 5 *int32?
  strategy 6 *string?
  preferredHolder 7 *string?
`,
}
