import { types } from '../../src/catalog/types.ts'
import type { StructSchema } from '../../src/schema/schema.ts'

const metaKinds = new Set(['Status', 'DeleteOptions', 'PatchOptions', 'UpdateOptions'])
/**
 * The type of a file of test/fixtures/codec/roundtrip, by its name: `core.v1.Pod`,
 * `certificates.k8s.io.v1beta1.ClusterTrustBundle`.
 */
export const roundtripSchema = (name: string): StructSchema => {
  const [version = '', kind = ''] = name.split('.').slice(-2)
  const group = name.slice(0, name.indexOf('.'))
  return types.type(metaKinds.has(kind) ? `meta.${kind}` : `${group}${version === 'v1' ? '' : version}.${kind}`)
}
