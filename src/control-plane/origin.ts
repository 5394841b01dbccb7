import type { SavedStates } from '../storage/cacher/cacher-types.ts'

/**
 * State that a running control plane passes to one with the same configuration on a copy of its store, made at the same
 * moment. The copy need not recreate or reread what the first has.
 */
export interface Origin {
  readonly states: SavedStates
}
