/** UIDs of an object's owners, by state. */
export interface OwnersByState {
  readonly solid: readonly string[]
  readonly dangling: readonly string[]
  /** Owners in foreground deletion, which wait for their dependents. */
  readonly waiting: readonly string[]
}

/**
 * Returns what becomes of an object: `keep`; `release` keeps it without its references to owners that are gone or
 * waiting; `delete`; `delete foreground` if an owner waits for it and it has dependents itself.
 */
export function dispositionOf(
  { solid, dangling, waiting }: OwnersByState,
  hasDependents: boolean,
): 'keep' | 'release' | 'delete' | 'delete foreground' {
  if (solid.length > 0) return dangling.length + waiting.length > 0 ? 'release' : 'keep'
  return waiting.length > 0 && hasDependents ? 'delete foreground' : 'delete'
}
