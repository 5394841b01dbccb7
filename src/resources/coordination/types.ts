import type { TypePackage } from '../../schema/idl.ts'

const LEASE_TYPES = `
type Lease typemeta # Says who holds something, and until when: heartbeats of nodes, and the election of leaders.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  spec 2 LeaseSpec? # What is wanted.

type LeaseList typemeta
  metadata 1 meta.ListMeta?
  items 2 []Lease

type LeaseSpec # Who holds the lease, since when and for how long.
  holderIdentity 1 *string? # Who holds the lease; empty or absent where nobody does.
  leaseDurationSeconds 2 *int32? # How long after renewTime others have to wait before they may take it.
  acquireTime 3 *MicroTime? # Since when the present holder has it.
  renewTime 4 *MicroTime? # When the holder last said that it still has it.
  leaseTransitions 5 *int32? # How often it has changed hands.
  strategy 6 *string? # How the holder is chosen, where candidates are coordinated.
  preferredHolder 7 *string? # Who should take it over; only with a strategy.
`

const CANDIDATE_TYPES = `
type LeaseCandidate typemeta # Says that a program stands for election as the holder of a lease, and what it can do.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  spec 2 LeaseCandidateSpec? # What is wanted.

type LeaseCandidateList typemeta
  metadata 1 meta.ListMeta?
  items 2 []LeaseCandidate

type LeaseCandidateSpec
  leaseName 1 string # Name of the lease, in the same namespace. Cannot be changed.
  pingTime 2 *MicroTime? # When the candidate was last asked whether it is still there.
  renewTime 3 *MicroTime? # When the candidate last said that it is still there.
  binaryVersion 4 string # Version of the program: \`1.33.0\`.
  emulationVersion 5 string? # Version that the program behaves as; not above binaryVersion.
  strategy 6 string omitempty # How the holder is chosen: OldestEmulationVersion, or a name with a domain for one of your own.
`

/** The types of coordination.k8s.io/v1. */
export const coordinationTypes: TypePackage = { id: 'coordination', definition: 'io.k8s.api.coordination.v1', source: LEASE_TYPES }

/** Of v1beta1: candidates, and leases as releases before 1.22 serve them. */
export const coordinationV1beta1Types: TypePackage = {
  id: 'coordinationV1beta1',
  definition: 'io.k8s.api.coordination.v1beta1',
  source: `${LEASE_TYPES}${CANDIDATE_TYPES}`,
}

export const coordinationV1alpha2Types: TypePackage = { id: 'coordinationV1alpha2', definition: 'io.k8s.api.coordination.v1alpha2', source: CANDIDATE_TYPES }
