import type { ResourceDefinition } from '../catalog/definition.ts'
import { quote } from '../lib/go-quote.ts'
import { invariant } from '../lib/invariant.ts'
import { badRequestError, failure } from '../meta/status.ts'
import { type Key, key } from '../storage/revision.ts'

/** Keys of the objects of a resource in kube-apiserver's layout. */
export interface KeySpace {
  /** `/registry/pods/`: every object of the resource. */
  readonly root: Key
  /** `/registry/pods/default/`. For cluster-scoped resources, and if the namespace is empty, the root. */
  prefix(namespace: string): Key
  /**
   * Throws 400 if the name is not a valid path segment, and 500, as upstream's store does, if the namespace is not one.
   */
  object(namespace: string, name: string): Key
  /** Throws the 500 of `object`. Only reads of the store need the check: the watch cache has no such namespace. */
  checkNamespace(namespace: string, name?: string): void
}

const isDots = (segment: string): boolean => segment === '.' || segment === '..'

/** Returns why a name is not a valid path segment, in upstream's words; undefined if it is. */
export function segmentFault(name: string): string | undefined {
  if (isDots(name)) return `may not be '${name}'`
  const faults = ['/', '%'].filter(illegal => name.includes(illegal)).map(illegal => `may not contain '${illegal}'`)
  return faults.length === 0 ? undefined : faults.join(';')
}

/** Returns the keys of a resource. `etcdPrefix` begins with a slash and does not end with one, such as `/registry`. */
export function keySpace(etcdPrefix: string, definition: ResourceDefinition): KeySpace {
  invariant(definition.storage, `${definition.hub.kind} is not stored`)
  const below = `/${definition.storage.prefix}/`
  const root = `${etcdPrefix}${below}`
  const namespaced = definition.scope === 'Namespaced'
  const checkNamespace = (namespace: string, name?: string): void => {
    if (!namespaced || !isDots(namespace)) return
    throw failure(500, '', `invalid key: ${quote(`${below}${namespace}${name === undefined ? '' : `/${name}`}`)}`)
  }
  return {
    checkNamespace,
    root: key(root),
    prefix: namespace => key(namespaced && namespace !== '' ? `${root}${namespace}/` : root),
    object(namespace, name) {
      const fault = segmentFault(name)
      if (fault !== undefined) throw badRequestError(`Name parameter invalid: ${quote(name)}: ${fault}`)
      checkNamespace(namespace, name)
      return key(namespaced ? `${root}${namespace}/${name}` : `${root}${name}`)
    },
  }
}
