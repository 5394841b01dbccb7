import type { ServedResource } from '../catalog/catalog.ts'
import type { ResourceDefinition, Version } from '../catalog/definition.ts'
import { clone } from '../meta/equal.ts'
import type { KubeObject } from '../meta/object.ts'
import type { StoredObject } from '../storage/storage.ts'
import { applyKindDefaults } from './decode-object.ts'
import { remoteViewOf, withoutRevision } from './remote-view.ts'
import { objectIn } from './version-view.ts'

/** The version in which hooks and admission see the objects of a request. */
export const hookVersion = ({ definition, version }: ServedResource): Version => (definition.converter ? version : definition.home)

/** A stored object as hooks and admission see it; shared. */
export const hookObject = (served: ServedResource, stored: StoredObject): KubeObject | Promise<KubeObject> => {
  const view = remoteViewOf(served.definition, served.version)
  return view ? view.object(stored).then(converted => converted.object()) : objectIn(served.definition, served.definition.home, stored)
}

/** An object as hooks and admission left it, in the version in which it is stored where somebody else converts it, and as it is otherwise: its codec converts it then. */
export function toStored({ converter, storage }: ResourceDefinition, object: KubeObject): KubeObject | Promise<KubeObject> {
  if (!converter || !storage) return object
  return converter.convert([withoutRevision(object)], storage.version).then(([stored]) => stored!)
}

/** An object that is not stored as if it had been stored and read again, where somebody else converts it: with the defaults of the stored version. */
export async function throughStore(definition: ResourceDefinition, version: Version, object: KubeObject): Promise<KubeObject> {
  const { converter, storage } = definition
  if (!converter || !storage) return object
  const { resourceVersion } = object.metadata
  const stored = applyKindDefaults(storage.version, clone(await toStored(definition, object)))
  const [shown] = await converter.convert([stored], version)
  const { metadata } = shown!
  return { ...shown!, metadata: { ...metadata, ...(resourceVersion !== undefined && { resourceVersion }) } }
}
