import type { CatalogSnapshot } from '../catalog/catalog.ts'
import { type PlainTextError, pageNotFound } from '../meta/plain-text-error.ts'
import { pathNotFoundError, type StatusError } from '../meta/status.ts'
import { builtInsOf } from '../registry/other-type.ts'

/**
 * Returns the error of a path that has no handler. Upstream's router responds with a Status below the roots of its
 * built-in groups, whatever their versions. Below other groups, as those of custom resources, and anywhere else, the
 * response is plain text.
 */
export function notServed(path: string, snapshot: CatalogSnapshot): StatusError | PlainTextError {
  return isRouted(path, snapshot) ? pathNotFoundError() : pageNotFound()
}

function isRouted(path: string, snapshot: CatalogSnapshot): boolean {
  if (path === '/api' || path.startsWith('/api/') || path === '/apis' || path === '/apis/') return true
  const [, root, group] = path.split('/', 3)
  return root === 'apis' && group !== undefined && group !== '' && isBuiltInGroup(snapshot, group)
}

/** Reports whether a group has a built-in kind. */
export const isBuiltInGroup = (snapshot: CatalogSnapshot, group: string): boolean =>
  snapshot.servedGroupVersions().some(apiVersion => apiVersion.startsWith(`${group}/`) && builtInsOf(snapshot)(apiVersion).length > 0)
