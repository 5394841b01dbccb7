import { types } from '../../src/resources/types.ts'
import type { StructSchema } from '../../src/schema/schema.ts'

/** Packages of types by the first part of a file's name. */
const packages: Readonly<Record<string, string>> = {
  apiextensions: 'apiextensions',
  apps: 'apps',
  authentication: 'authentication',
  authorization: 'authorization',
  coordination: 'coordination',
  core: 'core',
  networking: 'networking',
  rbac: 'rbac',
}
const metaKinds = new Set(['Status', 'DeleteOptions', 'PatchOptions', 'UpdateOptions'])
/** The type of a file of test/fixtures/codec/roundtrip, by its name: `core.v1.Pod`. */
export const roundtripSchema = (name: string): StructSchema => {
  const kind = name.slice(name.lastIndexOf('.') + 1)
  return types.type(metaKinds.has(kind) ? `meta.${kind}` : `${packages[name.split('.', 1)[0] as string]}.${kind}`)
}
