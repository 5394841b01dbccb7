import { type ServedResource, subresourceOf } from '../../catalog/catalog.ts'
import type { Subresource } from '../../catalog/definition.ts'
import type { ResourceRequestInfo } from '../../meta/context.ts'
import { badRequestError, methodNotAllowedError, pathNotFoundError } from '../../meta/status.ts'

/**
 * Resolves a path as upstream's router does, which has a route for each method and pattern. Throws 404, 405 and 400.
 */
export function builtInRoute(served: ServedResource, info: ResourceRequestInfo): Subresource | undefined {
  const subresource = info.subresource === '' ? undefined : subresourceAt(served, info)
  if (subresource === null) throw pathNotFoundError()
  if (info.rest.length > 0 && !subresource?.connect?.subpath) throw pathNotFoundError()
  checkPlace(served, info)
  if (!supports(served, info, subresource)) throw methodNotAllowedError()
  return subresource
}

/**
 * Whether the resource supports the request. Unlike `builtInRoute`, does not throw and does not check the namespace or
 * segments after the subresource.
 */
export function hasBuiltInRoute(served: ServedResource, info: ResourceRequestInfo): boolean {
  const subresource = info.subresource === '' ? undefined : subresourceAt(served, info)
  return subresource !== null && supports(served, info, subresource)
}

/** Returns the subresource, which requires the name of an object. Null if there is none of that name. */
const subresourceAt = ({ version }: ServedResource, { subresource, namesObject, watchPath }: ResourceRequestInfo): Subresource | null =>
  namesObject && !watchPath ? (subresourceOf(version, subresource) ?? null) : null

/**
 * A cluster-scoped resource is not found in a namespace. A namespaced one can be read across all namespaces, but not
 * written.
 */
function checkPlace({ definition }: ServedResource, { namespace, inNamespace, namesObject }: ResourceRequestInfo): void {
  const namespaced = definition.scope === 'Namespaced'
  if (namespaced ? namespace === '' && namesObject && !inNamespace : inNamespace) throw pathNotFoundError()
  if (namespaced && namespace === '' && namesObject) throw badRequestError('Namespace parameter required.')
}

/** Reports whether the path has a route for the verb. */
function supports(served: ServedResource, info: ResourceRequestInfo, subresource: Subresource | undefined): boolean {
  const { verb, method, watchPath, namesObject, namespace } = info
  if (subresource?.connect) return subresource.connect.methods.includes(method)
  if (method === 'HEAD' || (watchPath && method !== 'GET')) return false
  if (!(subresource ?? served.version).verbs.some(known => known === verb)) return false
  switch (verb) {
    case 'get':
    case 'list':
    case 'watch':
    case 'delete':
      return true
    case 'update':
    case 'patch':
      return namesObject
    case 'create':
    case 'deletecollection':
      return subresource !== undefined || (!namesObject && (namespace !== '' || served.definition.scope === 'Cluster'))
    default:
      return false
  }
}
