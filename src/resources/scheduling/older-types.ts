import type { TypePackage } from '../../schema/idl.ts'

/**
 * The types of scheduling.k8s.io/v1beta1 and v1alpha1, as earlier releases served them. Objects of such versions are still read and written in every media type, by programs and by a server that
 * emulates a release that has them.
 */
export const olderSchedulingTypes: readonly TypePackage[] = [
  {
    id: 'schedulingV1beta1',
    definition: 'io.k8s.api.scheduling.v1beta1',
    source: `
types PriorityClass PriorityClassList like scheduling
`,
  },
  {
    id: 'schedulingV1alpha1',
    definition: 'io.k8s.api.scheduling.v1alpha1',
    source: `
types PriorityClass PriorityClassList like scheduling
`,
  },
]
