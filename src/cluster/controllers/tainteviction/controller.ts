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
import { evictedCondition, evictingTaints, isEvictable, stayOf } from './tolerations.ts'

const WORKERS = 8

/**
 * Deletes pods that do not tolerate the NoExecute taints of their node, when the time that they tolerate them is over.
 * A key is a pod.
 */
export const taintEvictionController: ClusterPart = (env, signal) => new TaintEviction(env, signal).run()

interface Tainted {
  /** Milliseconds since the epoch at which pod and taints were first seen together. */
  readonly since: number
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
  readonly #tainted = new Map<string, Tainted>()

  constructor(env: ClusterEnvironment, signal: AbortSignal) {
    this.#env = env
    this.#signal = signal
    this.#pods = env.informers.of(PODS)
    this.#nodes = env.informers.of(NODES)
    this.#podsOn = podsByNode(this.#pods)
    this.#events = recorderOf(env, 'taint-eviction-controller', signal)
    this.#queue = queueOf(env, 'noexec_taint_pod', signal, { workers: WORKERS, work: key => this.#evict(key) })
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
      deleted: pod => void this.#tainted.delete(objectKey(pod)),
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

  async #evict(key: string): Promise<void> {
    const pod = this.#pods.store.get(key)
    const taints = pod && isEvictable(pod) ? this.#taintsOf(pod) : []
    if (!pod || taints.length === 0) return this.#cancel(key, pod)
    const now = this.#env.clock.now()
    const stay = stayOf(pod.spec.tolerations ?? [], taints)
    if (stay === 'forever') return void this.#tainted.delete(key)
    const uid = pod.metadata.uid ?? ''
    const known = this.#tainted.get(key)
    const { since } = known?.uid === uid ? known : { since: now }
    this.#tainted.set(key, { since, uid })
    if (since + stay > now) return this.#queue.addAfter(key, since + stay - now)
    this.#events.record(PODS, pod, 'Normal', 'TaintManagerEviction', `Marking for deletion Pod ${key}`)
    await this.#delete(pod)
    this.#tainted.delete(key)
  }

  /** Forgets a pod whose node has lost its taints. */
  #cancel(key: string, pod: Pod | undefined): void {
    const wasTainted = this.#tainted.delete(key)
    if (wasTainted && pod && isEvictable(pod))
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
