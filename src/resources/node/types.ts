import type { TypePackage } from '../../schema/idl.ts'

/** The types of node.k8s.io/v1. */
export const nodeTypes: TypePackage = {
  id: 'node',
  definition: 'io.k8s.api.node.v1',
  source: `
type Overhead
  podFixed 1 map[string]Quantity?

type RuntimeClass typemeta
  metadata 1 meta.ObjectMeta?
  handler 2 string
  overhead 3 *Overhead?
  scheduling 4 *Scheduling?

type RuntimeClassList typemeta
  metadata 1 meta.ListMeta?
  items 2 []RuntimeClass

type Scheduling
  nodeSelector 1 map[string]string? atomic
  tolerations 2 []core.Toleration? atomic
`,
}
