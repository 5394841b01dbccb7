import { EVERY_RELEASE } from '../../cel/environment.ts'
import type { Features } from '../../lifecycle/gates.ts'
import { isSince, minorOf, type Release } from '../../lifecycle/release.ts'

/**
 * First release that takes older servers into account. Before, an expression had to compile in the server's own release
 * only.
 */
const ASKS_OTHERS: Release = '1.28'

/**
 * Returns the minor version that must be able to compile an expression. For a new one it is the oldest release that the
 * server is compatible with; a stored one has been accepted by some release.
 */
export const oldestReader = ({ compatibility, release }: Features, isStored: boolean): number =>
  isStored ? EVERY_RELEASE : minorOf(isSince(release, ASKS_OTHERS) ? compatibility : release)
