import type { GroupResource, GroupVersion } from '../api/meta/v1.types.ts'

/** Prints the `apiVersion` of an object: `v1` for the core group, otherwise `group/version`. */
export const apiVersionOf = ({ group, version }: GroupVersion): string => (group === '' ? version : `${group}/${version}`)

/** Parses an `apiVersion`. Undefined if it has more than one slash. */
export function parseApiVersion(apiVersion: string): GroupVersion | undefined {
  const slash = apiVersion.indexOf('/')
  if (slash < 0) return { group: '', version: apiVersion }
  if (apiVersion.indexOf('/', slash + 1) >= 0) return undefined
  return { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) }
}

/** Prints `deployments.apps`, as messages of a Status do. The core group is omitted. */
export const qualifiedResource = ({ group, resource }: GroupResource): string => (group === '' ? resource : `${resource}.${group}`)

/** Parses `deployments.apps`. The resource ends at the first dot. */
export function parseGroupResource(text: string): GroupResource {
  const dot = text.indexOf('.')
  return dot < 0 ? { group: '', resource: text } : { group: text.slice(dot + 1), resource: text.slice(0, dot) }
}

const VERSION_NAME = /^v(\d+)(?:(alpha|beta)(\d+))?$/

/** Returns the stability of a version by its name: `v1`, `v1beta1`, `v1alpha1`. Undefined for any other name. */
export function stabilityOf(version: string): 'ga' | 'beta' | 'alpha' | undefined {
  const parts = VERSION_NAME.exec(version)
  return parts === null ? undefined : parts[2] === undefined ? 'ga' : parts[2] === 'beta' ? 'beta' : 'alpha'
}

const STABILITIES = ['ga', 'beta', 'alpha', undefined]

/**
 * Compares versions by priority; negative if clients should prefer `a`. GA precedes beta and alpha, newer precedes
 * older, and names of other forms come last, sorted by text.
 * https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#version-priority
 */
export function compareVersionNames(a: string, b: string): number {
  const [, aMajor = '0', , aMinor = '0'] = VERSION_NAME.exec(a) ?? []
  const [, bMajor = '0', , bMinor = '0'] = VERSION_NAME.exec(b) ?? []
  const byStability = STABILITIES.indexOf(stabilityOf(a)) - STABILITIES.indexOf(stabilityOf(b))
  return byStability || Number(bMajor) - Number(aMajor) || Number(bMinor) - Number(aMinor) || (a < b ? -1 : a > b ? 1 : 0)
}
