import type { TypePackage } from '../../schema/idl.ts'

/** The types of node.k8s.io/v1. */
export const nodeTypes: TypePackage = {
  id: 'node',
  definition: 'io.k8s.api.node.v1',
  source: `
type Overhead
  podFixed 1 map[string]Quantity? # Amounts a pod, by resource.

type RuntimeClass typemeta # A way to run containers that nodes offer, for pods to name.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  handler 2 string # What the container runtime of the nodes calls it; cannot be changed.
  overhead 3 *Overhead? # What a pod needs beside its containers when it is run so.
  scheduling 4 *Scheduling? # The nodes that offer it; none: all nodes.

type RuntimeClassList typemeta
  metadata 1 meta.ListMeta?
  items 2 []RuntimeClass

type Scheduling
  nodeSelector 1 map[string]string? atomic # Labels of the nodes that offer the class, added to the selector of its pods.
  tolerations 2 []core.Toleration? atomic # Added to the tolerations of its pods.
`,
}
