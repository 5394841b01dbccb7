/** Restores members from the old object. Values are shared with it. */
export function keepMembers<T extends object>(next: T, old: T, ...members: (keyof T)[]): void {
  for (const member of members) {
    if (old[member] === undefined) delete next[member]
    else next[member] = old[member]
  }
}

/** Verbs of a stored kind without restrictions. */
export const STANDARD_VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'] as const

/** Verbs of a subresource with the parent's own kind. */
export const STATUS_VERBS = ['get', 'patch', 'update'] as const

/** Reset fields of a resource with a status: its writes do not own the status. */
export const STATUS_FIELDS: readonly (readonly string[])[] = [['status']]
/** Reset fields of the subresource `status`: its writes do not own the spec. */
export const SPEC_FIELDS: readonly (readonly string[])[] = [['spec']]

/** `prepare` of a status: restores the spec. */
export function keepSpec<T extends { spec?: unknown }>(next: T, old: T | undefined): void {
  if (old) next.spec = old.spec
}
