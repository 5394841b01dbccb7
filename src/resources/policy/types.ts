import type { TypePackage } from '../../schema/idl.ts'

/** The types of policy/v1. */
export const policyTypes: TypePackage = {
  id: 'policy',
  definition: 'io.k8s.api.policy.v1',
  source: `
enum UnhealthyPodEvictionPolicyType AlwaysAllow IfHealthyBudget

type Eviction typemeta # Asks for a pod to be removed as its disruption budgets allow; never stored.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  deleteOptions 2 *meta.DeleteOptions? # How the pod is deleted once that is allowed.

type PodDisruptionBudget typemeta # Bounds how many pods of a set may be taken down on purpose at the same time.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  spec 2 PodDisruptionBudgetSpec? # What is wanted.
  status 3 PodDisruptionBudgetStatus? # What is, as last reported; not set by those who want something.

type PodDisruptionBudgetList typemeta
  metadata 1 meta.ListMeta?
  items 2 []PodDisruptionBudget

type PodDisruptionBudgetSpec # Which pods are counted, and how many of them may be missing.
  minAvailable 1 *IntOrString? # An eviction is refused if fewer selected pods than this, a number or a percentage, would be healthy after it; not together with maxUnavailable.
  selector 2 *meta.LabelSelector? replace # The pods that are counted; an empty one selects all of the namespace, and none at all selects nothing.
  maxUnavailable 3 *IntOrString? # An eviction is refused if more selected pods than this, a number or a percentage, would be missing after it; not together with minAvailable.
  unhealthyPodEvictionPolicy 4 *UnhealthyPodEvictionPolicyType? # Whether running pods that are not ready may always be evicted (AlwaysAllow), or only while the budget is met (IfHealthyBudget, the default).

type PodDisruptionBudgetStatus # What the controller last counted; evictions are decided by it.
  observedGeneration 1 int64? # The generation that was counted for; evictions wait until it is the present one.
  disruptedPods 2 map[string]Time? # Pods whose eviction was allowed and that are not seen to be going yet, with the time when it was.
  disruptionsAllowed 3 int32 # How many pods may be evicted now.
  currentHealthy 4 int32 # Selected pods that are healthy.
  desiredHealthy 5 int32 # The least number of healthy pods.
  expectedPods 6 int32 # All pods that are counted.
  conditions 7 []meta.Condition? map(type) merge(type) # DisruptionAllowed says whether there is room for an eviction, or why that is not known.
`,
}
