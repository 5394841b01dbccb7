/** A kind, as returned by discovery. */
export interface Kind {
  /** Empty for the core group. */
  readonly group: string
  /** Version in which the kind is listed. */
  readonly version: string
  /** Plural name in lower case, as in paths. */
  readonly resource: string
  /** Kind of the objects, or the resource if discovery has none. */
  readonly kind: string
  readonly namespaced: boolean
  /** Verbs of discovery. `list` is always among them. */
  readonly verbs: readonly string[]
  /** Abbreviations, for searching. */
  readonly shortNames: readonly string[]
  /** Whether the version is the preferred one of its group. */
  readonly preferred: boolean
}

/** Returns the apiVersion of objects. */
export const groupVersion = ({ group, version }: Pick<Kind, 'group' | 'version'>): string =>
  group === '' ? version : `${group}/${version}`

/** Returns the path of a collection or an object. */
export function resourcePath(kind: Pick<Kind, 'group' | 'version' | 'resource'>, namespace = '', name = ''): string {
  const root = kind.group === '' ? `/api/${kind.version}` : `/apis/${encodeURIComponent(kind.group)}/${encodeURIComponent(kind.version)}`
  const within = namespace === '' ? '' : `/namespaces/${encodeURIComponent(namespace)}`
  return `${root}${within}/${encodeURIComponent(kind.resource)}${name === '' ? '' : `/${encodeURIComponent(name)}`}`
}

/** Ranks a kind for a search text. 0 if it does not match. */
export function rank(kind: Kind, text: string): number {
  const wanted = text.trim().toLowerCase()
  if (wanted === '') return 1
  const names = [kind.resource, kind.kind.toLowerCase(), ...kind.shortNames]
  if (names.includes(wanted)) return 4
  if (names.some(name => name.startsWith(wanted))) return 3
  return names.some(name => name.includes(wanted)) || `${kind.resource}.${kind.group}`.includes(wanted) ? 2 : 0
}

/** Kind of the start page. */
export const FIRST_KIND = { group: '', version: 'v1', resource: 'namespaces' }

/** Kinds under a common heading. */
export interface KindGroup {
  /** Name of the group, `core` or `deprecated`. */
  readonly title: string
  /** Kinds in the order in which they were discovered. */
  readonly kinds: readonly Kind[]
}

/** Deprecated kinds of the core group. */
const DEPRECATED = ['componentstatuses', 'endpoints']
const isDeprecated = ({ group, resource }: Kind): boolean => group === '' && DEPRECATED.includes(resource)
const isBuiltIn = (group: string): boolean => !group.includes('.') || group.endsWith('.k8s.io')

/** Groups kinds: the core group first, then groups of Kubernetes, custom groups, and deprecated kinds. */
export function kindGroups(kinds: readonly Kind[]): readonly KindGroup[] {
  const groups = new Map<string, Kind[]>()
  const rankOf = (kind: Kind): number => (isDeprecated(kind) ? 3 : kind.group === '' ? 0 : isBuiltIn(kind.group) ? 1 : 2)
  for (const kind of [...kinds].sort((a, b) => rankOf(a) - rankOf(b))) {
    const title = isDeprecated(kind) ? 'deprecated' : kind.group || 'core'
    groups.set(title, [...(groups.get(title) ?? []), kind])
  }
  return [...groups].map(([title, members]) => ({ title, kinds: members }))
}
