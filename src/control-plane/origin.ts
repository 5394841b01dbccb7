import type { KeptStates } from '../storage/cacher/cacher-types.ts'

/**
 * What a control plane that has begun gives to one with the same configuration over a copy of its store, made at the same moment: what the first has made and read, the other need neither make nor
 * read again.
 */
export interface Origin {
  readonly states: KeptStates
}
