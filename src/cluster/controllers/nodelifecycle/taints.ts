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

const MANAGED = new Set([...Object.values(KEYS).flatMap(keys => Object.values(keys)), UNSCHEDULABLE])

/**
 * Returns the taints of a node after a change of those that the controller manages: NoSchedule by its conditions, and a
 * change of NoExecute. Taints that are present keep their place and time. Undefined if nothing changes.
 */
export function nextTaints(node: Pick<Node, 'spec' | 'status'>, { add, remove }: EvictingChange, now: number): Taint[] | undefined {
  const present = node.spec.taints ?? []
  const wanted = schedulingTaints(node)
  const added = [...wanted.map(taint => ({ ...taint, timeAdded: formatTime(now) })), ...add].filter(taint => !hasTaint(present, taint))
  const isKept = ({ key, effect }: Taint): boolean =>
    effect === 'NoSchedule' ? !MANAGED.has(key) || hasTaint(wanted, { key, effect }) : effect !== 'NoExecute' || !remove.includes(key)
  const kept = present.filter(isKept)
  return added.length === 0 && kept.length === present.length ? undefined : [...kept, ...added]
}

export const hasTaint = (taints: readonly Taint[] | undefined, { key, effect }: Pick<Taint, 'key' | 'effect'>): boolean =>
  taints?.some(taint => taint.key === key && taint.effect === effect) ?? false
