import { rawPathOf } from '../request-target.ts'

/** Which control plane a request is for, where it is not this server's own: a moment of its past, or a branch of it. */
export type Mount =
  | { readonly kind: 'moment'; readonly revision: number; readonly path: string }
  | { readonly kind: 'branch'; readonly name: string; readonly path: string }

/** A DNS label: it needs no escapes in a path. */
export const BRANCH_NAME = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/

const ROOT = '/binnacle/'
const MOMENT = '/binnacle/at/'
const BRANCH = '/binnacle/branches/'
const REVISION = /^[1-9][0-9]{0,15}$/

/** The mount that a URL begins with, as it was sent: a path with escapes in that place is no mount's, and neither is one that begins otherwise. */
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

/** What is left of the URL below the mount: a path that begins with a slash, and the query. */
export function urlBelow({ path }: Mount, url: string): string {
  const rest = url.slice(path.length)
  return rest.startsWith('/') ? rest : `/${rest}`
}
