import type { TypePackage } from '../../schema/idl.ts'

/**
 * The types of node.k8s.io/v1beta1 and v1alpha1, as earlier releases served them. Objects of such versions are still read and written in every media type, by programs and by a server that
 * emulates a release that has them.
 */
export const olderNodeTypes: readonly TypePackage[] = [
  {
    id: 'nodeV1beta1',
    definition: 'io.k8s.api.node.v1beta1',
    source: `
types Overhead RuntimeClass RuntimeClassList Scheduling like node
`,
  },
  {
    id: 'nodeV1alpha1',
    definition: 'io.k8s.api.node.v1alpha1',
    source: `
types Overhead RuntimeClassList Scheduling like node

type RuntimeClass typemeta
  metadata 1 meta.ObjectMeta?
  spec 2 RuntimeClassSpec

type RuntimeClassSpec
  runtimeHandler 1 string
  overhead 2 *Overhead?
  scheduling 3 *Scheduling?
`,
  },
]
