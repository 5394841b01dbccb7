import type { Pod } from '../../api/core/v1.types.ts'
import { podPriority } from '../shared/pods.ts'
import type { PodInfo } from './pod-info.ts'

const NONE: readonly PodInfo[] = []

/** Pods for which a preemption makes room, by the node on which it does. */
export class NominatedPodsByNode {
  /** Name of the node by uid. */
  readonly #nodes = new Map<string, string>()
  readonly #pods = new Map<string, Map<string, PodInfo>>()

  get size(): number {
    return this.#nodes.size
  }

  /** Nominates a pod to a node, and to no other. */
  set(info: PodInfo, node: string): void {
    this.delete(info.pod)
    const uid = info.pod.metadata.uid ?? ''
    this.#nodes.set(uid, node)
    const pods = this.#pods.get(node)
    if (pods) pods.set(uid, info)
    else this.#pods.set(node, new Map([[uid, info]]))
  }

  /** Takes back a nomination. Returns the node. Undefined if there is none. */
  delete({ metadata: { uid = '' } }: Pick<Pod, 'metadata'>): string | undefined {
    const node = this.#nodes.get(uid)
    if (node === undefined) return undefined
    this.#nodes.delete(uid)
    const pods = this.#pods.get(node)
    pods?.delete(uid)
    if (pods?.size === 0) this.#pods.delete(node)
    return node
  }

  on(node: string): readonly PodInfo[] {
    const pods = this.#pods.get(node)
    return pods ? [...pods.values()] : NONE
  }

  /** Returns the pods of a node whose priority is lower. */
  lowerThan(node: string, priority: number): readonly PodInfo[] {
    return this.on(node).filter(({ pod }) => podPriority(pod) < priority)
  }
}
