import type { CatalogSnapshot } from '../catalog/catalog.ts'
import { type PlainTextError, pageNotFound } from '../meta/plain-text-error.ts'
import { failure, pathNotFoundError, type StatusError } from '../meta/status.ts'
import { builtInsOf } from '../registry/other-type.ts'

const NOT_COMPLETE = 'the request has been made before all known HTTP paths have been installed, please try again'
const RETRY_SECONDS = 5

/**
 * Returns the error of a path that has no handler. Upstream's router responds with a Status below the roots of its
 * built-in groups, whatever their versions. Below other groups, as those of custom resources, and anywhere else, the
 * response is a 404 in plain text, or a 503 while not all custom kinds are served yet (`isComplete`), so that a client
 * does not take them for removed. (k8s.io/apiserver/pkg/util/notfoundhandler)
 */
export function notServed(path: string, snapshot: CatalogSnapshot, isComplete: boolean): StatusError | PlainTextError {
  if (isRouted(path, snapshot)) return pathNotFoundError()
  return isComplete ? pageNotFound() : failure(503, 'ServiceUnavailable', NOT_COMPLETE, { retryAfterSeconds: RETRY_SECONDS })
}

function isRouted(path: string, snapshot: CatalogSnapshot): boolean {
  if (path === '/api' || path.startsWith('/api/') || path === '/apis' || path === '/apis/') return true
  const [, root, group] = path.split('/', 3)
  return root === 'apis' && group !== undefined && group !== '' && isBuiltInGroup(snapshot, group)
}

/** Reports whether a group has a built-in kind. */
export const isBuiltInGroup = (snapshot: CatalogSnapshot, group: string): boolean =>
  snapshot.servedGroupVersions().some(apiVersion => apiVersion.startsWith(`${group}/`) && builtInsOf(snapshot)(apiVersion).length > 0)
