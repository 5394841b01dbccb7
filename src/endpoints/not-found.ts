import type { CatalogSnapshot } from '../catalog/catalog.ts'
import { type PlainTextError, pageNotFound } from '../meta/plain-text-error.ts'
import { pathNotFoundError, type StatusError } from '../meta/status.ts'
import { builtInsOf } from '../registry/other-type.ts'

/**
 * A path that nobody serves. Upstream's router tells so in a Status below the roots of its own groups, whatever their versions; past it, where custom kinds are served and all the rest, the
 * answer is plain text.
 */
export function notServed(path: string, snapshot: CatalogSnapshot): StatusError | PlainTextError {
  return isRouted(path, snapshot) ? pathNotFoundError() : pageNotFound()
}

function isRouted(path: string, snapshot: CatalogSnapshot): boolean {
  if (path === '/api' || path.startsWith('/api/') || path === '/apis' || path === '/apis/') return true
  const [, root, group] = path.split('/', 3)
  return root === 'apis' && group !== undefined && group !== '' && isBuiltInGroup(snapshot, group)
}

/** Whether some kind of the group is not custom. */
export const isBuiltInGroup = (snapshot: CatalogSnapshot, group: string): boolean =>
  snapshot.servedGroupVersions().some(apiVersion => apiVersion.startsWith(`${group}/`) && builtInsOf(snapshot)(apiVersion).length > 0)
