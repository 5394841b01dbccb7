import { EVERY_RELEASE } from '../../cel/environment.ts'
import type { Features } from '../../lifecycle/gates.ts'
import { isSince, minorOf, type Release } from '../../lifecycle/release.ts'

/** Before this release a server asked itself alone whether an expression can be understood. */
const ASKS_OTHERS: Release = '1.28'

/** The minor release that must understand an expression: a new one the oldest beside which the server may run; one that is stored was accepted by some release. */
export const oldestReader = ({ compatibility, release }: Features, isStored: boolean): number =>
  isStored ? EVERY_RELEASE : minorOf(isSince(release, ASKS_OTHERS) ? compatibility : release)
