import type { TypePackage } from '../../schema/idl.ts'

/** The types of scheduling.k8s.io/v1. */
export const schedulingTypes: TypePackage = {
  id: 'scheduling',
  definition: 'io.k8s.api.scheduling.v1',
  source: `
enum PreemptionPolicy Never PreemptLowerPriority

type PriorityClass typemeta # Gives a number to a name, by which pods are ordered for scheduling and preemption.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  value 2 int32 # The priority of pods of this class; higher goes first.
  globalDefault 3 bool? # Pods that name no class get this one; one class at most should say so.
  description 4 string? # When to use the class, for people.
  preemptionPolicy 5 *PreemptionPolicy? # Whether pods of the class may push out those of lower priority (PreemptLowerPriority, the default) or wait (Never).

type PriorityClassList typemeta
  metadata 1 meta.ListMeta?
  items 2 []PriorityClass
`,
}
