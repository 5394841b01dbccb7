import { types } from '../../src/resources/types.ts'
import type { StructSchema } from '../../src/schema/schema.ts'

const packages: Readonly<Record<string, string>> = { core: 'core', apps: 'apps', coordination: 'coordination', networking: 'networking' }
const metaKinds = new Set(['Status', 'DeleteOptions', 'PatchOptions', 'UpdateOptions'])
/** The type of a file of test/fixtures/codec/roundtrip, by its name: `core.v1.Pod`. */
export const roundtripSchema = (name: string): StructSchema => {
  const kind = name.slice(name.lastIndexOf('.') + 1)
  return types.type(metaKinds.has(kind) ? `meta.${kind}` : `${packages[name.split('.', 1)[0] as string]}.${kind}`)
}
