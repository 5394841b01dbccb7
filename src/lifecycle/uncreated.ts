import { DEFAULT_RELEASE, isSince, type Release } from './release.ts'

/** Metadata of an object that was never created. */
export interface Uncreated {
  readonly creationTimestamp?: null
}

const NULL: Uncreated = { creationTimestamp: null }
const ABSENT: Uncreated = {}

/**
 * Returns the creationTimestamp of an object that was never created, such as a bookmark: null, and absent since 1.34.
 * Templates have the mark `omitzero` for that.
 */
export const uncreated = (release: Release = DEFAULT_RELEASE): Uncreated => (isSince(release, '1.34') ? ABSENT : NULL)
