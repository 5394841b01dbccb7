import { DEFAULT_RELEASE, isSince, type Release } from './release.ts'

/** What metadata says of its creation. */
export interface Uncreated {
  readonly creationTimestamp?: null
}

const NULL: Uncreated = { creationTimestamp: null }
const ABSENT: Uncreated = {}

/** The creationTimestamp of what was never created, such as a bookmark: null, and absent from 1.34 on. For templates the mark `omitzero` says the same. */
export const uncreated = (release: Release = DEFAULT_RELEASE): Uncreated => (isSince(release, '1.34') ? ABSENT : NULL)
