import { rawPathOf } from '../http/request-target.ts'

/**
 * The control plane of a request other than this server's own: a past revision, or a branch. `path` is the prefix of
 * the URL.
 */
export type Mount =
  | { readonly kind: 'moment'; readonly revision: number; readonly path: string }
  | { readonly kind: 'branch'; readonly name: string; readonly path: string }

/** A DNS label, which needs no escapes in a path. */
export const BRANCH_NAME = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/

const ROOT = '/binnacle/'
const MOMENT = '/binnacle/at/'
const BRANCH = '/binnacle/branches/'
const REVISION = /^[1-9][0-9]{0,15}$/

/** Returns the mount of a URL. The prefix is matched without decoding: an escaped prefix is not a mount. */
export function mountOf(url: string): Mount | undefined {
  if (!url.startsWith(ROOT)) return undefined
  const path = rawPathOf(url)
  const below = (root: string): string => path.slice(root.length, endOfSegment(path, root.length))
  if (path.startsWith(MOMENT)) {
    const segment = below(MOMENT)
    const revision = Number(segment)
    return REVISION.test(segment) && Number.isSafeInteger(revision) ? { kind: 'moment', revision, path: MOMENT + segment } : undefined
  }
  if (!path.startsWith(BRANCH)) return undefined
  const name = below(BRANCH)
  return BRANCH_NAME.test(name) ? { kind: 'branch', name, path: BRANCH + name } : undefined
}

function endOfSegment(path: string, from: number): number {
  const slash = path.indexOf('/', from)
  return slash < 0 ? path.length : slash
}

/** Returns the part of the URL below the mount: a path that begins with a slash, and the query. */
export function urlBelow({ path }: Mount, url: string): string {
  const rest = url.slice(path.length)
  return rest.startsWith('/') ? rest : `/${rest}`
}
