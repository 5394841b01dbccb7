import type { Node, Pod, PodCondition } from '../../../api/core/v1.types.ts'
import { objectKey } from '../../../clients/api-client.ts'
import { untilAborted } from '../../../lib/on-abort.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { isStatusError, undefinedIfNotFound } from '../../../meta/status.ts'
import { type ClusterEnvironment, type ClusterPart, queueOf, untilSynced } from '../../shared/environment.ts'
import type { Informer } from '../../shared/informer.ts'
import { NODES, PODS } from '../../shared/kinds.ts'
import { isOutOfService } from '../../shared/nodes.ts'
import { isPodTerminal, isPodTerminating, podsByNode, withGeneration } from '../../shared/pods.ts'
import type { KeyQueue } from '../../shared/work-queue.ts'
import { excessTerminated, isUnscheduledTerminating, nodeGoneCondition, TERMINATED_THRESHOLD } from './collect.ts'

/** Time for which a node must be gone before its pods are deleted, in milliseconds. */
const QUARANTINE = 40_000
/**
 * Interval in which upstream looks for pods to collect, in milliseconds. A pod that is deleted meanwhile is not marked
 * as failed.
 */
const CHECK_INTERVAL = 20_000
const COUNT_KEY = 'terminated'

/**
 * Deletes pods that no kubelet deletes: those of nodes that are gone or out of service, those that were deleted before
 * they had a node, and those that have ended beyond the number that is kept. A key is a node, a pod or the count.
 */
export const podGarbageCollector: ClusterPart = (env, signal) => new PodCollector(env, signal).run()

class PodCollector {
  readonly #env: ClusterEnvironment
  readonly #signal: AbortSignal
  readonly #pods: Informer<Pod>
  readonly #podsOn: (node: string) => readonly Pod[]
  readonly #nodes: Informer<Node>
  readonly #goneNodes: KeyQueue
  readonly #doomed: KeyQueue
  readonly #count: KeyQueue

  constructor(env: ClusterEnvironment, signal: AbortSignal) {
    this.#env = env
    this.#signal = signal
    this.#pods = env.informers.of(PODS)
    this.#nodes = env.informers.of(NODES)
    this.#podsOn = podsByNode(this.#pods)
    this.#goneNodes = queueOf(env, 'orphaned_pods_nodes', signal, { workers: 1, work: name => this.#collectNode(name) })
    this.#doomed = queueOf(env, 'terminating_pods', signal, { workers: 1, work: key => this.#collectTerminating(key) })
    this.#count = queueOf(env, 'terminated_pods', signal, { workers: 1, work: () => this.#collectTerminated() })
  }

  async run(): Promise<void> {
    if (!(await untilSynced([this.#pods, this.#nodes], this.#signal))) return
    this.#nodes.on({
      updated: node => {
        if (isOutOfService(node)) for (const pod of this.#podsOn(node.metadata.name ?? '')) this.#podChanged(pod)
      },
      deleted: ({ metadata: { name = '' } }) => this.#goneNodes.addAfter(name, QUARANTINE),
    })
    this.#pods.onGradually({ added: pod => this.#podChanged(pod), updated: pod => this.#podChanged(pod) })
    await untilAborted(this.#signal)
  }

  #podChanged(pod: Pod): void {
    const { nodeName = '' } = pod.spec
    if (nodeName !== '' && !this.#nodes.store.get(nodeName)) this.#goneNodes.addAfter(nodeName, QUARANTINE)
    if (isPodTerminating(pod)) this.#doomed.addAfter(objectKey(pod), CHECK_INTERVAL)
    else if (isPodTerminal(pod)) this.#count.addAfter(COUNT_KEY, CHECK_INTERVAL)
  }

  async #collectNode(name: string): Promise<void> {
    const pods = this.#podsOn(name)
    if (pods.length === 0 || this.#nodes.store.get(name) || (await this.#exists(name))) return
    for (const pod of pods) await this.#delete(pod, nodeGoneCondition(this.#env.clock.now()))
  }

  /** Whether the release marks pods before their deletion: gate PodDisruptionConditions, which is on from 1.26 on. */
  get #marksPods(): boolean {
    return isSince(this.#env.features.release, '1.26')
  }

  async #exists(name: string): Promise<boolean> {
    return (await this.#env.client.get(NODES, '', name).catch(undefinedIfNotFound)) !== undefined
  }

  async #collectTerminating(key: string): Promise<void> {
    const pod = this.#pods.store.get(key)
    if (!pod || !isPodTerminating(pod)) return
    const node = this.#nodes.store.get(pod.spec.nodeName ?? '')
    if (isUnscheduledTerminating(pod) || (node && isOutOfService(node))) await this.#delete(pod, undefined)
  }

  async #collectTerminated(): Promise<void> {
    for (const pod of excessTerminated(
      [...this.#pods.store.list()].filter(pod => !isPodTerminating(pod)),
      TERMINATED_THRESHOLD,
    ))
      await this.#delete(pod, undefined)
  }

  /**
   * Marks a pod that has not ended as failed, from 1.26 on, and deletes it without a grace period. Does nothing if that
   * was done before and finalizers hold the pod.
   */
  async #delete(pod: Pod, condition: PodCondition | undefined): Promise<void> {
    const { namespace = '', name = '', uid = '', deletionGracePeriodSeconds, finalizers = [] } = pod.metadata
    const { client, features } = this.#env
    try {
      if (!isPodTerminal(pod) && this.#marksPods) {
        const status = { phase: 'Failed', ...(condition && { conditions: [withGeneration(condition, pod, features)] }) }
        await client.patch(PODS, { namespace, name, subresource: 'status' }, { metadata: { uid }, status }, 'strategic')
      }
      if (!isPodTerminating(pod) || deletionGracePeriodSeconds !== 0 || finalizers.length === 0)
        await client.delete(PODS, namespace, name, { gracePeriodSeconds: 0, uid })
    } catch (error) {
      if (!isStatusError(error, 'NotFound', 'Conflict')) throw error
    }
  }
}
