import type { CatalogSnapshot, ServedResource } from '../../catalog/catalog.ts'
import type { RequestAttributes } from '../../meta/context.ts'
import { resourceAttributes } from '../../meta/request-attributes.ts'
import { pathNotFoundError } from '../../meta/status.ts'

/** An object, as the path of a request names it. */
export interface NamedObject {
  readonly group: string
  readonly version: string
  readonly resource: string
  /** Empty for cluster-scoped resources. */
  readonly namespace: string
  readonly name: string
}

/**
 * Parses the path of an object without a subresource: `api/v1/namespaces/default/configmaps/a`, `apis/GROUP/VERSION/…`.
 * Undefined for any other path.
 */
export function parseObjectPath(path: string): NamedObject | undefined {
  const [prefix, ...segments] = path.split('/')
  if ((prefix !== 'api' && prefix !== 'apis') || segments.includes('')) return undefined
  const group = prefix === 'api' ? '' : segments.shift()
  const version = segments.shift()
  if (group === undefined || version === undefined) return undefined
  const namespace = segments.length === 4 && segments[0] === 'namespaces' ? segments.splice(0, 2)[1] : ''
  const [resource, name, ...rest] = segments
  if (namespace === undefined || resource === undefined || name === undefined || rest.length > 0) return undefined
  return { group, version, resource, namespace, name }
}

/** Returns the attributes that are authorized before the object is shown. */
export const getOf = (object: NamedObject, path: string): RequestAttributes =>
  resourceAttributes({ ...object, verb: 'get', path: `/${path}` })

/** Returns the stored kind of the path. Throws 404 if the path is not served. */
export function servedObject(snapshot: CatalogSnapshot, { group, version, resource, namespace }: NamedObject): ServedResource {
  const served = snapshot.find(group, version, resource)
  if (served?.definition.storage === undefined || (served.definition.scope === 'Namespaced') === (namespace === ''))
    throw pathNotFoundError()
  return served
}
