import type { Pod } from '../../../src/api/core/v1.types.ts'
import { compareEnded, excessTerminated, nodeGoneCondition } from '../../../src/cluster/controllers/podgc/collect.ts'
import { formatTime } from '../../../src/meta/time.ts'

interface PodIn {
  readonly name: string
  readonly phase?: string
  readonly reason?: string
  readonly created?: number
}

const podOf = ({ name, phase = 'Failed', reason, created = 0 }: PodIn): Pod => {
  const pod: unknown = { metadata: { name, creationTimestamp: formatTime(created * 1000) }, status: { phase, ...(reason && { reason }) } }
  return pod as Pod
}

/** Functions of the tables, or the reason why a table has none. */
export const TABLES: Readonly<Record<string, ((given: never) => unknown) | string>> = {
  terminated: ({ threshold, pods }: { threshold: number; pods: PodIn[] }) =>
    excessTerminated(pods.map(podOf), threshold).map(({ metadata }) => metadata.name),
  order: (given: (string | PodIn)[]) =>
    given
      .map(each => podOf(typeof each === 'string' ? { name: each } : each))
      .toSorted(compareEnded)
      .map(({ metadata }) => metadata.name),
  conditions(given: string) {
    if (!given.includes('node')) return null
    const { type, status, reason, message } = nodeGoneCondition(0)
    return { type, status, reason, message }
  },
}
