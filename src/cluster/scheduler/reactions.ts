import type { Node, Pod } from '../../api/core/v1.types.ts'
import { schedulerName } from './attempt-reports.ts'
import type { ClusterEvent } from './cluster-events.ts'
import type { Plugin } from './framework.ts'
import { NodeInfo } from './node-info.ts'
import type { PodInfo } from './pod-info.ts'
import type { PodInfos } from './pod-infos.ts'
import type { Profile } from './profile.ts'
import type { SchedulingQueue } from './queue.ts'
import type { ClusterObjects } from './snapshot.ts'

interface ReactionParts {
  readonly profiles: ReadonlyMap<string, Profile>
  readonly pending: SchedulingQueue
  readonly infos: PodInfos
  readonly objects: ClusterObjects
  /** Goes on with the queue. */
  wake(): void
}

/** Tries pods again that a change of the cluster may help, by what the plugins say that rejected them. */
export class Reactions {
  readonly #parts: ReactionParts

  constructor(parts: ReactionParts) {
    this.#parts = parts
  }

  /** Tries all pods again that the events may help. */
  to(events: readonly ClusterEvent[]): void {
    for (const event of events) this.#parts.pending.react(event)
    this.#parts.wake()
  }

  /** Tries pods again that a change of an assigned pod may help. */
  toPod(event: ClusterEvent, other: PodInfo): void {
    const { pending, infos, wake } = this.#parts
    if (event === 'assigned pod added' || event === 'assigned pod deleted')
      pending.react(event, (pod, plugin) => this.#pluginOf(pod, plugin)?.isHelpedByPod?.(infos.of(pod), event, other) ?? true)
    else pending.react(event)
    wake()
  }

  /** Tries pods again that a new or changed node may help. */
  toNode(events: readonly ClusterEvent[], node: Node, old: Node | undefined): void {
    const { pending, infos, objects, wake } = this.#parts
    if (events.length === 0) return
    const [now, before] = [NodeInfo.of(node), old && NodeInfo.of(old)]
    for (const event of events)
      pending.react(event, (pod, plugin) => this.#pluginOf(pod, plugin)?.isHelpedByNode?.(infos.of(pod), now, before, objects) ?? true)
    wake()
  }

  #pluginOf(pod: Pod, name: string): Plugin | undefined {
    return this.#parts.profiles.get(schedulerName(pod))?.plugins.find(({ plugin }) => plugin.name === name)?.plugin
  }
}
