import type { Node, Pod } from '../../../api/core/v1.types.ts'
import { objectKey } from '../../../clients/api-client.ts'
import { untilAborted } from '../../../lib/on-abort.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { deepEqual } from '../../../meta/equal.ts'
import { isStatusError } from '../../../meta/status.ts'
import { type ClusterEnvironment, type ClusterPart, queueOf, recorderOf, untilSynced } from '../../shared/environment.ts'
import type { EventRecorder } from '../../shared/event-recorder.ts'
import type { Informer } from '../../shared/informer.ts'
import { NODES, PODS } from '../../shared/kinds.ts'
import { podsByNode, withGeneration } from '../../shared/pods.ts'
import type { KeyQueue } from '../../shared/work-queue.ts'
import { evictedCondition, evictingTaints, isEvictable, type Stay, stayOf } from './tolerations.ts'

const WORKERS = 8

/**
 * Deletes pods that do not tolerate the NoExecute taints of their node, when the time that they tolerate them is over.
 * A key is a pod.
 */
export const taintEvictionController: ClusterPart = (env, signal) => new TaintEviction(env, signal).run()

/** A deletion of a pod that is scheduled. */
interface Scheduled {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly uid: string
}

class TaintEviction {
  readonly #env: ClusterEnvironment
  readonly #signal: AbortSignal
  readonly #pods: Informer<Pod>
  readonly #podsOn: (node: string) => readonly Pod[]
  readonly #nodes: Informer<Node>
  readonly #events: EventRecorder
  readonly #queue: KeyQueue
  readonly #scheduled = new Map<string, Scheduled>()

  constructor(env: ClusterEnvironment, signal: AbortSignal) {
    this.#env = env
    this.#signal = signal
    this.#pods = env.informers.of(PODS)
    this.#nodes = env.informers.of(NODES)
    this.#podsOn = podsByNode(this.#pods)
    this.#events = recorderOf(env, 'taint-eviction-controller', signal)
    this.#queue = queueOf(env, 'noexec_taint_pod', signal, { workers: WORKERS, work: key => this.#sync(key) })
  }

  async run(): Promise<void> {
    if (!(await untilSynced([this.#pods, this.#nodes], this.#signal))) return
    this.#nodes.on({
      added: node => this.#nodeChanged(node),
      updated: (node, old) => {
        if (!deepEqual(evictingTaints(node.spec.taints), evictingTaints(old.spec.taints))) this.#nodeChanged(node)
      },
    })
    this.#pods.onGradually({
      added: pod => this.#podChanged(pod),
      updated: pod => this.#podChanged(pod),
      deleted: pod => this.#cancel(pod),
    })
    await untilAborted(this.#signal)
  }

  #nodeChanged({ metadata: { name = '' } }: Node): void {
    for (const pod of this.#podsOn(name)) this.#queue.add(objectKey(pod))
  }

  #podChanged(pod: Pod): void {
    if (isEvictable(pod) && this.#taintsOf(pod).length > 0) this.#queue.add(objectKey(pod))
  }

  #taintsOf({ spec: { nodeName = '' } }: Pod): ReturnType<typeof evictingTaints> {
    return evictingTaints(this.#nodes.store.get(nodeName)?.spec.taints)
  }

  /**
   * Deletes a pod, or schedules its deletion. A scheduled deletion keeps its time while the pod tolerates all taints for
   * some time, also if that time changes, and when the node is deleted. Source: processPodOnNode of
   * pkg/controller/tainteviction.
   */
  async #sync(key: string): Promise<void> {
    const pod = this.#pods.store.get(key)
    if (!pod || !isEvictable(pod)) return
    const now = this.#env.clock.now()
    const uid = pod.metadata.uid ?? ''
    const scheduled = this.#scheduledOf(pod)
    const stay = this.#stayOf(pod)
    if (stay === 'forever') return this.#cancel(pod)
    const at = stay === 0 ? now : (scheduled?.at ?? now + stay)
    if (at <= now) this.#cancel(pod)
    this.#scheduled.set(key, { at, uid })
    if (at > now) return this.#queue.addAfter(key, at - now)
    this.#events.record(PODS, pod, 'Normal', 'TaintManagerEviction', `Marking for deletion Pod ${key}`)
    await this.#delete(pod)
  }

  /** Returns how long a pod may stay. On a node that is gone, the pod stays until its scheduled deletion. */
  #stayOf(pod: Pod): Stay {
    const node = this.#nodes.store.get(pod.spec.nodeName ?? '')
    if (node) return stayOf(pod.spec.tolerations ?? [], evictingTaints(node.spec.taints))
    const scheduled = this.#scheduledOf(pod)
    return scheduled ? Math.max(0, scheduled.at - this.#env.clock.now()) : 'forever'
  }

  /** Returns the scheduled deletion of a pod, and not of an earlier one of the same name. */
  #scheduledOf(pod: Pod): Scheduled | undefined {
    const scheduled = this.#scheduled.get(objectKey(pod))
    return scheduled?.uid === pod.metadata.uid ? scheduled : undefined
  }

  /** Cancels the deletion of a pod, with an event if its time has not come. */
  #cancel(pod: Pod): void {
    const key = objectKey(pod)
    const scheduled = this.#scheduledOf(pod)
    this.#scheduled.delete(key)
    if (scheduled && scheduled.at > this.#env.clock.now())
      this.#events.record(PODS, pod, 'Normal', 'TaintManagerEviction', `Cancelling deletion of Pod ${key}`)
  }

  async #delete(pod: Pod): Promise<void> {
    const { namespace = '', name = '', uid = '' } = pod.metadata
    const { client, clock, features } = this.#env
    try {
      if (isSince(features.release, '1.26'))
        await client.patch(
          PODS,
          { namespace, name, subresource: 'status' },
          { metadata: { uid }, status: { conditions: [withGeneration(evictedCondition(clock.now()), pod, features)] } },
          'strategic',
        )
      await client.delete(PODS, namespace, name, { uid })
    } catch (error) {
      if (!isStatusError(error, 'NotFound', 'Conflict')) throw error
    }
  }
}
