import type { TypePackage } from '../../schema/idl.ts'

/** The types of coordination.k8s.io/v1. */
export const coordinationTypes: TypePackage = {
  id: 'coordination',
  definition: 'io.k8s.api.coordination.v1',
  source: `

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
`,
}
