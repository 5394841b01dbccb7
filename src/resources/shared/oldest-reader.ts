import { EVERY_RELEASE } from '../../cel/environment.ts'
import type { Features } from '../../lifecycle/gates.ts'
import { minorOf } from '../../lifecycle/release.ts'

/** The minor release that must understand an expression: a new one the oldest beside which the server may run; one that is stored was accepted by some release. */
export const oldestReader = ({ compatibility }: Features, isStored: boolean): number => (isStored ? EVERY_RELEASE : minorOf(compatibility))
