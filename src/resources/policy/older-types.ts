import type { TypePackage } from '../../schema/idl.ts'

/**
 * The types of policy/v1beta1, as earlier releases served them. Objects of such versions are still read and written in every media type, by programs and by a server that
 * emulates a release that has them.
 */
export const olderPolicyTypes: readonly TypePackage[] = [
  {
    id: 'policyV1beta1',
    definition: 'io.k8s.api.policy.v1beta1',
    source: `
types Eviction PodDisruptionBudget PodDisruptionBudgetList PodDisruptionBudgetStatus like policy

type PodDisruptionBudgetSpec like policy.PodDisruptionBudgetSpec
  selector 2 *meta.LabelSelector?
`,
  },
]
