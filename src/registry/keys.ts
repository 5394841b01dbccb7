import type { ResourceDefinition } from '../catalog/definition.ts'
import { quote } from '../lib/go-quote.ts'
import { invariant } from '../lib/invariant.ts'
import { badRequestError, failure } from '../meta/status.ts'
import { type Key, key } from '../storage/revision.ts'

/** Where the objects of a resource are stored: kube-apiserver's key layout. */
export interface KeySpace {
  /** `/registry/pods/`: every object of the resource. */
  readonly root: Key
  /** `/registry/pods/default/`; the root for cluster-scoped resources and for all namespaces. */
  prefix(namespace: string): Key
  /** Throws 400 for a name that is no segment of a path, and 500, as upstream's store does, where the namespace is none. */
  object(namespace: string, name: string): Key
  /** Throws as `object` where a namespace can't be read from the store; the watch cache looks for it and finds nothing. */
  checkNamespace(namespace: string, name?: string): void
}

const isDots = (segment: string): boolean => segment === '.' || segment === '..'

/** Why a name can't be a segment of a path; undefined where it can. */
export function segmentFault(name: string): string | undefined {
  if (isDots(name)) return `may not be '${name}'`
  const faults = ['/', '%'].filter(illegal => name.includes(illegal)).map(illegal => `may not contain '${illegal}'`)
  return faults.length === 0 ? undefined : faults.join(';')
}

/** `etcdPrefix` has a slash before it and none behind, as `/registry`. */
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
