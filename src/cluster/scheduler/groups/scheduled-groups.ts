import type { Pod } from '../../../api/core/v1.types.ts'
import type { GroupProgress } from '../framework.ts'
import { groupOf } from './pod-group.ts'

const NONE: ReadonlySet<string> = new Set()

/** Pods of groups that have a node, bound or assumed. */
export class ScheduledGroups implements GroupProgress {
  /** Uids of pods by the key of their group. */
  readonly #pods = new Map<string, Set<string>>()
  readonly #listeners = new Map<string, Set<() => void>>()
  readonly #retry: (pod: Pod) => void

  /** @param retry tries the other pods of a pod's group that have no node */
  constructor(retry: (pod: Pod) => void = () => {}) {
    this.#retry = retry
  }

  scheduled(group: string): ReadonlySet<string> {
    return this.#pods.get(group) ?? NONE
  }

  /** Counts a pod for its group. */
  add(pod: Pod): void {
    const group = groupOf(pod)?.key
    if (group === undefined) return
    const pods = this.#pods.get(group)
    if (pods) pods.add(pod.metadata.uid ?? '')
    else this.#pods.set(group, new Set([pod.metadata.uid ?? '']))
    for (const wake of this.#listeners.get(group) ?? []) wake()
  }

  /** No longer counts a pod. */
  delete(pod: Pod): void {
    const group = groupOf(pod)?.key
    const pods = group === undefined ? undefined : this.#pods.get(group)
    if (group === undefined || pods === undefined) return
    pods.delete(pod.metadata.uid ?? '')
    if (pods.size === 0) this.#pods.delete(group)
  }

  onScheduled(group: string, wake: () => void): () => void {
    const known = this.#listeners.get(group)
    const listeners = known ?? new Set()
    listeners.add(wake)
    if (!known) this.#listeners.set(group, listeners)
    return () => {
      listeners.delete(wake)
      if (listeners.size === 0 && this.#listeners.get(group) === listeners) this.#listeners.delete(group)
    }
  }

  retry(pod: Pod): void {
    this.#retry(pod)
  }
}
