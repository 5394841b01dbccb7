import type { Kind } from './kinds.ts'

/** Route of the console: path and query after the `#`. */
export interface Route {
  readonly parts: readonly string[]
  readonly query: Readonly<Record<string, string>>
}

/** Parses `#/objects/apps/v1/deployments?namespace=default`. Invalid parts are skipped. */
export function parseRoute(hash: string): Route {
  const [path = '', search = ''] = hash.replace(/^#/, '').split('?', 2)
  const parts = path.split('/').filter(part => part !== '')
  return { parts: parts.map(decodePathPart), query: Object.fromEntries(new URLSearchParams(search)) }
}

function decodePathPart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** Returns the address of a route. Empty query parameters are omitted. */
export function routeHash(parts: readonly string[], query: Readonly<Record<string, string>> = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== '')
  const search = given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`
  return `#/${parts.map(encodeURIComponent).join('/')}${search}`
}

type Named = Pick<Kind, 'group' | 'version' | 'resource'>

/** Placeholders for the empty group and namespace in a route. */
const CORE = 'core'
const NO_NAMESPACE = '-'

/** Returns the address of a collection. */
export const tableHash = ({ group, version, resource }: Named, query: Readonly<Record<string, string>> = {}): string =>
  routeHash(['objects', group || CORE, version, resource], query)

/** Returns the address of an object. An empty namespace means a cluster-scoped object. */
export const objectHash = (
  { group, version, resource }: Named,
  namespace: string,
  name: string,
  query: Readonly<Record<string, string>> = {},
): string => routeHash(['object', group || CORE, version, resource, namespace || NO_NAMESPACE, name], query)

/** Returns the kind and object of a route, as written by `tableHash` and `objectHash`. */
export function namedIn({ parts }: Route): Named & { readonly namespace: string; readonly name: string } {
  const [, group = '', version = '', resource = '', namespace = '', name = ''] = parts
  return { group: group === CORE ? '' : group, version, resource, namespace: namespace === NO_NAMESPACE ? '' : namespace, name }
}
