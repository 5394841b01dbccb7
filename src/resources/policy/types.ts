import type { TypePackage } from '../../schema/idl.ts'

/** The types of policy/v1. */
export const policyTypes: TypePackage = {
  id: 'policy',
  definition: 'io.k8s.api.policy.v1',
  source: `
enum UnhealthyPodEvictionPolicyType AlwaysAllow IfHealthyBudget

type Eviction typemeta
  metadata 1 meta.ObjectMeta?
  deleteOptions 2 *meta.DeleteOptions?

type PodDisruptionBudget typemeta
  metadata 1 meta.ObjectMeta?
  spec 2 PodDisruptionBudgetSpec?
  status 3 PodDisruptionBudgetStatus?

type PodDisruptionBudgetList typemeta
  metadata 1 meta.ListMeta?
  items 2 []PodDisruptionBudget

type PodDisruptionBudgetSpec
  minAvailable 1 *IntOrString?
  selector 2 *meta.LabelSelector? replace
  maxUnavailable 3 *IntOrString?
  unhealthyPodEvictionPolicy 4 *UnhealthyPodEvictionPolicyType?

type PodDisruptionBudgetStatus
  observedGeneration 1 int64?
  disruptedPods 2 map[string]Time?
  disruptionsAllowed 3 int32
  currentHealthy 4 int32
  desiredHealthy 5 int32
  expectedPods 6 int32
  conditions 7 []meta.Condition? map(type) merge(type)
`,
}
