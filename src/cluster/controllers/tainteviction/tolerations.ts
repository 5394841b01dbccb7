import type { Pod, PodCondition, Taint, Toleration } from '../../../api/core/v1.types.ts'
import { disruptionTarget } from '../../shared/pods.ts'
import { tolerates } from '../../shared/tolerations.ts'

/** Time for which a pod may stay on a node, in milliseconds. */
export type Stay = 'forever' | number

/** Taints of a node that evict pods. */
export const evictingTaints = (taints: readonly Taint[] = []): Taint[] => taints.filter(({ effect }) => effect === 'NoExecute')

/** Returns how long a pod tolerates all taints. 0 if it does not tolerate one of them. */
export function stayOf(tolerations: readonly Toleration[], taints: readonly Taint[]): Stay {
  if (taints.length === 0) return 'forever'
  const used: Toleration[] = []
  for (const taint of taints) {
    const toleration = tolerations.find(each => tolerates(each, taint))
    if (!toleration) return 0
    used.push(toleration)
  }
  return shortestStay(used)
}

/** Returns the shortest time of tolerations. Those without a time last forever; a time below 0 is 0. */
export function shortestStay(tolerations: readonly Pick<Toleration, 'tolerationSeconds'>[]): Stay {
  if (tolerations.length === 0) return 0
  let shortest: Stay = 'forever'
  for (const { tolerationSeconds } of tolerations) {
    if (tolerationSeconds === undefined) continue
    const milliseconds = Math.max(0, Number(tolerationSeconds) * 1000)
    shortest = shortest === 'forever' ? milliseconds : Math.min(shortest, milliseconds)
  }
  return shortest
}

/** Condition of a pod that is evicted. */
export const evictedCondition = (now: number): PodCondition =>
  disruptionTarget('DeletionByTaintManager', 'Taint manager: deleting due to NoExecute taint', now)

/** Whether a pod may be evicted at all: it is bound and not being deleted. */
export const isEvictable = ({ metadata, spec }: Pod): boolean => (spec.nodeName ?? '') !== '' && metadata.deletionTimestamp === undefined
