export interface GroupVersion {
  readonly group: string
  readonly version: string
}
export interface GroupVersionKind extends GroupVersion {
  readonly kind: string
}
export interface GroupResource {
  readonly group: string
  readonly resource: string
}

/** `v1` for the core group, `group/version` otherwise: the `apiVersion` of an object. */
export const apiVersionOf = ({ group, version }: GroupVersion): string => (group === '' ? version : `${group}/${version}`)

/** Splits an `apiVersion`; undefined where it has more than one slash. */
export function parseApiVersion(apiVersion: string): GroupVersion | undefined {
  const slash = apiVersion.indexOf('/')
  if (slash < 0) return { group: '', version: apiVersion }
  if (apiVersion.indexOf('/', slash + 1) >= 0) return undefined
  return { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) }
}

/** `deployments.apps`, as messages of Status have it; the core group adds nothing. */
export const qualifiedResource = ({ group, resource }: GroupResource): string => (group === '' ? resource : `${resource}.${group}`)
