import type { Job } from '../../../api/batch/v1.types.ts'
import type { Pod } from '../../../api/core/v1.types.ts'
import { compareActivePods } from './active-order.ts'
import { completionIndex } from './job-pods.ts'
import { isIndexed } from './rules.ts'

/** Active pods of an Indexed job, by whether they may stay. */
export interface IndexedPods {
  readonly remove: readonly Pod[]
  readonly keep: readonly Pod[]
}

/** Selects the pods without a valid index, and all but one of those with the same index. */
export function duplicatePods(pods: readonly Pod[], completions: number): IndexedPods {
  const byIndex = new Map<number, Pod[]>()
  const remove: Pod[] = []
  for (const pod of pods) {
    const index = completionIndex(pod)
    if (index === undefined || index >= completions) remove.push(pod)
    else byIndex.set(index, [...(byIndex.get(index) ?? []), pod])
  }
  const keep: Pod[] = []
  for (const [, same] of [...byIndex].toSorted(([a], [b]) => a - b)) {
    const ordered = same.toSorted(compareActivePods)
    remove.push(...ordered.slice(0, -1))
    keep.push(...ordered.slice(-1))
  }
  return { remove, keep }
}

/** Selects at least `atLeast` active pods to delete: first those of an Indexed job that may not stay. */
export function podsToRemove(job: Job, active: readonly Pod[], atLeast: number): readonly Pod[] {
  const { remove, keep } = isIndexed(job) ? duplicatePods(active, job.spec.completions ?? 0) : { remove: [], keep: active }
  if (remove.length >= atLeast) return remove
  return [...remove, ...keep.toSorted(compareActivePods).slice(0, atLeast - remove.length)]
}
