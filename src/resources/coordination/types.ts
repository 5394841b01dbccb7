import type { TypePackage } from '../../schema/idl.ts'

const LEASE_TYPES = `
type Lease typemeta
  metadata 1 meta.ObjectMeta?
  spec 2 LeaseSpec?

type LeaseList typemeta
  metadata 1 meta.ListMeta?
  items 2 []Lease

type LeaseSpec
  holderIdentity 1 *string?
  leaseDurationSeconds 2 *int32?
  acquireTime 3 *MicroTime?
  renewTime 4 *MicroTime?
  leaseTransitions 5 *int32?
  strategy 6 *string?
  preferredHolder 7 *string?
`

const CANDIDATE_TYPES = `
type LeaseCandidate typemeta
  metadata 1 meta.ObjectMeta?
  spec 2 LeaseCandidateSpec?

type LeaseCandidateList typemeta
  metadata 1 meta.ListMeta?
  items 2 []LeaseCandidate

type LeaseCandidateSpec
  leaseName 1 string
  pingTime 2 *MicroTime?
  renewTime 3 *MicroTime?
  binaryVersion 4 string
  emulationVersion 5 string?
  strategy 6 string omitempty
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
