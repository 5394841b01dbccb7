import type { TypePackage } from '../../schema/idl.ts'

/** Eviction, of policy/v1. */
export const policyTypes: TypePackage = {
  id: 'policy',
  definition: 'io.k8s.api.policy.v1',
  source: `

type Eviction typemeta
  metadata 1 meta.ObjectMeta?
  deleteOptions 2 *meta.DeleteOptions?
`,
}
