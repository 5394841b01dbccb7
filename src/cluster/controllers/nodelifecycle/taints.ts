import type { Node, NodeCondition, Taint } from '../../../api/core/v1.types.ts'
import { formatTime } from '../../../meta/time.ts'
import { NOT_READY_TAINT } from '../../shared/nodes.ts'

const UNREACHABLE = 'node.kubernetes.io/unreachable'
const UNSCHEDULABLE = 'node.kubernetes.io/unschedulable'

/** Keys of taints by the type and status of a condition. */
const KEYS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Ready: { False: NOT_READY_TAINT, Unknown: UNREACHABLE },
  MemoryPressure: { True: 'node.kubernetes.io/memory-pressure' },
  DiskPressure: { True: 'node.kubernetes.io/disk-pressure' },
  NetworkUnavailable: { True: 'node.kubernetes.io/network-unavailable' },
  PIDPressure: { True: 'node.kubernetes.io/pid-pressure' },
}

/** Taints that keep pods from a node, by its conditions and whether it is cordoned. */
export function schedulingTaints({ spec, status }: Pick<Node, 'spec' | 'status'>): Taint[] {
  const taints = (status.conditions ?? []).flatMap(({ type, status: state }): Taint[] => {
    const key = KEYS[type]?.[state]
    return key === undefined ? [] : [{ key, effect: 'NoSchedule' }]
  })
  return spec.unschedulable ? [...taints, { key: UNSCHEDULABLE, effect: 'NoSchedule' }] : taints
}

/** Change of the taints that evict pods. */
export interface EvictingChange {
  readonly add: readonly Taint[]
  /** Keys of taints to remove. */
  readonly remove: readonly string[]
}

/** Returns the taint that evicts pods from a node by the status of its condition Ready, and those to remove. */
export function evictingChange(ready: NodeCondition['status'] | undefined, now: number): EvictingChange {
  const taint = (key: string): Taint => ({ key, effect: 'NoExecute', timeAdded: formatTime(now) })
  switch (ready) {
    case 'True':
      return { add: [], remove: [NOT_READY_TAINT, UNREACHABLE] }
    case 'False':
      return { add: [taint(NOT_READY_TAINT)], remove: [UNREACHABLE] }
    case 'Unknown':
      return { add: [taint(UNREACHABLE)], remove: [NOT_READY_TAINT] }
    default:
      return { add: [], remove: [] }
  }
}
