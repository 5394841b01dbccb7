import type { TypePackage } from '../../schema/idl.ts'

/** The types of scheduling.k8s.io/v1. */
export const schedulingTypes: TypePackage = {
  id: 'scheduling',
  definition: 'io.k8s.api.scheduling.v1',
  source: `
enum PreemptionPolicy Never PreemptLowerPriority

type PriorityClass typemeta
  metadata 1 meta.ObjectMeta?
  value 2 int32
  globalDefault 3 bool?
  description 4 string?
  preemptionPolicy 5 *PreemptionPolicy?

type PriorityClassList typemeta
  metadata 1 meta.ListMeta?
  items 2 []PriorityClass
`,
}
