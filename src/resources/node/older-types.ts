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

type RuntimeClass typemeta # A way to run containers that nodes offer, for pods to name.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  spec 2 RuntimeClassSpec # What is wanted.

type RuntimeClassSpec
  runtimeHandler 1 string # What the container runtime of the nodes calls it; cannot be changed.
  overhead 2 *Overhead? # What a pod needs beside its containers when it is run so.
  scheduling 3 *Scheduling? # The nodes that offer it; none: all nodes.
`,
  },
]
