import type { ResourceDefinition } from '../catalog/definition.ts'
import { invariant } from '../lib/invariant.ts'
import type { Key } from '../storage/revision.ts'
import { key } from '../storage/revision.ts'

/** Where the objects of a resource are stored: kube-apiserver's key layout. */
export interface KeySpace {
  /** `/registry/pods/`: every object of the resource. */
  readonly root: Key
  /** `/registry/pods/default/`; the root for cluster-scoped resources and for all namespaces. */
  prefix(namespace: string): Key
  object(namespace: string, name: string): Key
}

export function keySpace(etcdPrefix: string, definition: ResourceDefinition): KeySpace {
  invariant(definition.storage, `${definition.home.kind} is not stored`)
  const root = `${etcdPrefix}/${definition.storage.prefix}/`
  const namespaced = definition.scope === 'Namespaced'
  return {
    root: key(root),
    prefix: namespace => key(namespaced && namespace !== '' ? `${root}${namespace}/` : root),
    object: (namespace, name) => key(namespaced ? `${root}${namespace}/${name}` : `${root}${name}`),
  }
}
