import type { TypePackage } from '../../schema/idl.ts'

/** Eviction, of policy/v1. */
export const policyTypes: TypePackage = {
  id: 'policy',
  definition: 'io.k8s.api.policy.v1',
  source: `

type Eviction typemeta # Asks for a pod to be removed as its disruption budgets allow; never stored.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  deleteOptions 2 *meta.DeleteOptions?
`,
}
