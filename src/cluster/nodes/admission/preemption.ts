import type { Pod } from '../../../api/core/v1.types.ts'
import type { Insufficient } from '../../shared/node-room.ts'
import type { ResourceAmounts } from '../../shared/pod-requests.ts'
import { isCritical } from './admission-check.ts'

/** An admitted pod that may be evicted. */
export interface PreemptablePod {
  readonly pod: Pod
  readonly requests: ResourceAmounts
}

/** Amounts that are still needed, by resource. */
type Needs = ReadonlyMap<string, number>

const QOS_ORDER = ['BestEffort', 'Burstable', 'Guaranteed'] as const

/**
 * Chooses the pods that a kubelet evicts for a critical pod: as few of the better quality of service as possible, and
 * of each quality those that come closest to what is needed. Returns an error as the kubelet words it if no choice
 * frees enough. Source: pkg/kubelet/preemption/preemption.go.
 */
export function podsToPreempt<C extends PreemptablePod>(
  pod: Pod,
  candidates: readonly C[],
  lacking: readonly Insufficient[],
): { readonly victims: readonly C[] } | { readonly error: string } {
  const needs: Needs = new Map(lacking.map(({ resourceName, requested, used, capacity }) => [resourceName, requested - (capacity - used)]))
  const [bestEffort = [], burstable = [], guaranteed = []] = QOS_ORDER.map(qos =>
    candidates.filter(candidate => candidate.pod.status.qosClass === qos && isPreemptable(pod, candidate.pod)),
  )
  const unmet = needsWithout(needs, [...bestEffort, ...burstable, ...guaranteed])
  if (unmet.size > 0) return { error: `no set of running pods found to reclaim resources: ${needsText(unmet)}` }
  const ofGuaranteed = closest(guaranteed, needsWithout(needs, [...bestEffort, ...burstable]))
  const ofBurstable = closest(burstable, needsWithout(needs, [...bestEffort, ...ofGuaranteed]))
  const ofBestEffort = closest(bestEffort, needsWithout(needs, [...ofBurstable, ...ofGuaranteed]))
  return { victims: [...ofBestEffort, ...ofBurstable, ...ofGuaranteed] }
}

const isPreemptable = (by: Pod, pod: Pod): boolean =>
  (isCritical(by) && !isCritical(pod)) ||
  (by.spec.priority !== undefined && pod.spec.priority !== undefined && by.spec.priority > pod.spec.priority)

const amountOf = ({ requests }: PreemptablePod, resource: string): number => (resource === 'pods' ? 1 : (requests.get(resource) ?? 0))

/** Returns the needs that are left once pods are evicted. */
function needsWithout(needs: Needs, pods: readonly PreemptablePod[]): Needs {
  const left = new Map<string, number>()
  for (const [resource, needed] of needs) {
    const rest = pods.reduce((sum, pod) => sum - amountOf(pod, resource), needed)
    if (rest > 0) left.set(resource, rest)
  }
  return left
}

/** Takes pods that fulfil most of the needs until none is left. The pods together fulfil them. */
function closest<C extends PreemptablePod>(pods: readonly C[], needs: Needs): C[] {
  const rest = [...pods]
  const taken: C[] = []
  for (let left = needs; left.size > 0; ) {
    let best = 0
    let least = left.size + 1
    for (const [i, pod] of rest.entries()) {
      const distance = distanceOf(pod, left)
      const bestPod = rest[best]
      if (distance < least || (distance === least && bestPod !== undefined && isSmaller(pod, bestPod))) {
        best = i
        least = distance
      }
    }
    const pod = rest[best]
    const last = rest.pop()
    if (pod === undefined || last === undefined) return taken
    // The last pod takes the place of the one that is taken, as upstream has it: ties depend on it.
    if (pod !== last) rest[best] = last
    taken.push(pod)
    left = needsWithout(left, [pod])
  }
  return taken
}

/** Sum of the squares of the shares of the needs that a pod leaves unfulfilled. */
function distanceOf(pod: PreemptablePod, needs: Needs): number {
  let sum = 0
  for (const [resource, needed] of needs) {
    const rest = needed - amountOf(pod, resource)
    if (rest > 0) sum += (rest / needed) ** 2
  }
  return sum
}

function isSmaller(pod: PreemptablePod, than: PreemptablePod): boolean {
  for (const resource of ['memory', 'cpu']) {
    const difference = amountOf(pod, resource) - amountOf(than, resource)
    if (difference !== 0) return difference < 0
  }
  return true
}

const needsText = (needs: Needs): string => `[${[...needs].map(([resource, amount]) => `(res: ${resource}, q: ${amount}), `).join('')}]`
