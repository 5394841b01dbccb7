import type { Pod } from '../../../api/core/v1.types.ts'
import { timeMillis } from '../../../meta/time.ts'
import { compareRestarts, isPodReady, readySince, restartsOf } from '../../shared/pods.ts'

const PHASES: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 }

/**
 * Compares active pods by the order in which they are deleted; negative if `a` is deleted first. Pods without a node
 * come first, then those in an earlier phase, those that are not ready, those that became ready later, those with more
 * restarts, and those that are younger. Corresponds to upstream's ActivePods.
 */
export const compareActivePods = (a: Pod, b: Pod): number =>
  Number((a.spec.nodeName ?? '') !== '') - Number((b.spec.nodeName ?? '') !== '') ||
  phaseOf(a) - phaseOf(b) ||
  Number(isPodReady(a)) - Number(isPodReady(b)) ||
  laterFirst(readySince(a), readySince(b)) ||
  compareRestarts(restartsOf(a), restartsOf(b)) ||
  laterFirst(timeMillis(a.metadata.creationTimestamp), timeMillis(b.metadata.creationTimestamp))

const phaseOf = ({ status: { phase = 'Pending' } }: Pod): number => PHASES[phase] ?? 0

/** Orders a later time first, and an absent one before all. */
function laterFirst(a: number | undefined, b: number | undefined): number {
  if (a === b) return 0
  if (a === undefined || b === undefined) return a === undefined ? -1 : 1
  return b - a
}
