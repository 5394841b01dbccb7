import type { Status } from './framework.ts'

/** Why no node is feasible for a pod. */
export interface Infeasible {
  /** Number of nodes of the snapshot. */
  readonly nodeCount: number
  /** Reasons of a plugin that rejected all nodes at once. Empty if nodes were filtered. */
  readonly preFilterReason: string
  /** Status by node. */
  readonly statuses: ReadonlyMap<string, Status>
  /** Names of plugins that rejected the pod. */
  readonly plugins: ReadonlySet<string>
}

/** Prints why a pod is not scheduled, as its condition and event say. Source: FitError of pkg/scheduler/framework. */
export function failureText({ nodeCount, preFilterReason, statuses }: Infeasible, postFilter = ''): string {
  if (nodeCount === 0) return 'no nodes available to schedule pods'
  let text = `0/${nodeCount} nodes are available:`
  if (preFilterReason !== '') text += ` ${preFilterReason}.`
  else {
    const counts = new Map<string, number>()
    for (const { reasons } of statuses.values()) for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1)
    const sorted = [...counts].map(([reason, count]) => `${count} ${reason}`).sort()
    if (sorted.length > 0) text += ` ${sorted.join(', ')}.`
  }
  return postFilter === '' ? text : `${text} ${postFilter}`
}
