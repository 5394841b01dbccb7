/** A kind as discovery has it. */
export interface Kind {
  /** Empty: the core group. */
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly kind: string
  readonly namespaced: boolean
  readonly verbs: readonly string[]
  readonly shortNames: readonly string[]
  /** Of the versions of its group, the one that the server prefers. */
  readonly preferred: boolean
}

export const groupVersion = ({ group, version }: Pick<Kind, 'group' | 'version'>): string => (group === '' ? version : `${group}/${version}`)

/** The path of a collection, or of an object. */
export function pathOf(kind: Pick<Kind, 'group' | 'version' | 'resource'>, namespace = '', name = ''): string {
  const root = kind.group === '' ? `/api/${kind.version}` : `/apis/${encodeURIComponent(kind.group)}/${encodeURIComponent(kind.version)}`
  const within = namespace === '' ? '' : `/namespaces/${encodeURIComponent(namespace)}`
  return `${root}${within}/${encodeURIComponent(kind.resource)}${name === '' ? '' : `/${encodeURIComponent(name)}`}`
}

/** How well a kind answers what somebody types: 0 not at all. */
export function rank(kind: Kind, text: string): number {
  const wanted = text.trim().toLowerCase()
  if (wanted === '') return 1
  const names = [kind.resource, kind.kind.toLowerCase(), ...kind.shortNames]
  if (names.includes(wanted)) return 4
  if (names.some(name => name.startsWith(wanted))) return 3
  return names.some(name => name.includes(wanted)) || `${kind.resource}.${kind.group}`.includes(wanted) ? 2 : 0
}
