import type { Node, Pod } from '../../api/core/v1.types.ts'
import type { TypedObject } from '../../api/meta/object.ts'
import { objectKey } from '../../clients/api-client.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { untilAborted } from '../../lib/on-abort.ts'
import { isStatusError } from '../../meta/status.ts'
import { formatTime } from '../../meta/time.ts'
import { type StagedObject, StageEngine } from '../kwok/engine/stage-engine.ts'
import { StagePlayer } from '../kwok/engine/stage-player.ts'
import { NODE_INITIALIZE } from '../kwok/stages/node-stages.ts'
import { FAST_POD_STAGES } from '../kwok/stages/pod-stages.ts'
import { StageSet } from '../kwok/stages/stage-set.ts'
import { functionsIn, type TemplateFunctions } from '../kwok/template/template.ts'
import { type ClusterEnvironment, type ClusterPart, queueOf, recorderOf, untilSynced } from '../shared/environment.ts'
import type { Informer } from '../shared/informer.ts'
import { NODES, PODS } from '../shared/kinds.ts'
import { podsByNode } from '../shared/pods.ts'
import { createKwokDefinitions } from './kwok-definitions.ts'
import { isSimulated, nodeAddress, simulatedNode, withoutNotReady } from './node-objects.ts'
import { PodAddresses } from './pod-addresses.ts'
import { KubeletStageClient } from './stage-client.ts'
import { followStages } from './stage-objects.ts'

const WORKERS = 8

/**
 * Simulates nodes with their kubelets. Nodes are registered and become ready; their pods run, complete if they belong to a job, and are removed when they are deleted, by stages. No container runs. The
 * nodes renew no leases.
 */
export const kubelets: ClusterPart = (env, signal) => new Kubelets(env, signal).run()

class Kubelets {
  readonly #env: ClusterEnvironment
  readonly #signal: AbortSignal
  readonly #pods: Informer<Pod>
  readonly #podsOn: (node: string) => readonly Pod[]
  readonly #nodes: Informer<Node>
  readonly #addresses = new PodAddresses()
  readonly #stages = new StageSet([NODE_INITIALIZE, ...FAST_POD_STAGES])
  readonly #engine: StageEngine
  readonly #player: StagePlayer
  readonly #startedAt: string

  constructor(env: ClusterEnvironment, signal: AbortSignal) {
    const { informers, clock, logger, client } = env
    this.#env = env
    this.#signal = signal
    this.#pods = informers.of(PODS)
    this.#nodes = informers.of(NODES)
    this.#podsOn = podsByNode(this.#pods)
    this.#startedAt = formatTime(clock.now())
    const onError = ({ kind, metadata }: TypedObject, error: Error): void => {
      if (!isStatusError(error, 'NotFound') && !isStatusError(error, 'Conflict'))
        logger.warn('a stage failed', { kind, name: metadata.name ?? '', error: errorMessage(error) })
    }
    this.#engine = new StageEngine({ stages: this.#stages.stages, seed: 1, onError })
    const stageClient = new KubeletStageClient(client, recorderOf(env, 'kubelet', signal))
    this.#player = new StagePlayer({ engine: this.#engine, client: stageClient, clock, functionsFor: object => this.#functionsFor(object), seed: 1, onError })
  }

  async run(): Promise<void> {
    const { client, nodes: count, features, logger } = this.#env
    const untaint = queueOf(this.#env, 'kubelet', this.#signal, {
      workers: WORKERS,
      work: async key => {
        const node = this.#nodes.store.get(key)
        const changed = node && withoutNotReady(node)
        if (changed) await client.update(NODES, changed)
      },
    })
    if (!(await untilSynced([this.#pods, this.#nodes], this.#signal))) return
    await createKwokDefinitions(client, logger)
    await followStages(this.#env, this.#stages, this.#signal, kinds => this.#restage(kinds))
    const observeNode = (node: Node): void => {
      if (!isSimulated(node)) return
      this.#player.observe(staged(node, 'Node'))
      untaint.add(objectKey(node))
    }
    this.#nodes.on({
      added: node => {
        observeNode(node)
        for (const pod of this.#podsOn(node.metadata.name ?? '')) this.#observePod(pod)
      },
      updated: observeNode,
      deleted: node => this.#player.forget(staged(node, 'Node')),
    })
    this.#pods.on({
      added: pod => this.#observePod(pod),
      updated: pod => this.#observePod(pod),
      deleted: pod => {
        this.#player.forget(staged(pod, 'Pod'))
        this.#addresses.release(pod.metadata.uid ?? '')
      },
    })
    for (let number = 1; number <= count && !this.#signal.aborted; number++) await this.#register(simulatedNode(number, `v${features.release}.0`))
    await untilAborted(this.#signal)
    this.#player.close()
  }

  /** Chooses stages anew for the objects of kinds whose stages have changed. */
  #restage(kinds: ReadonlySet<string>): void {
    this.#engine.setStages(this.#stages.stages)
    const again = (object: StagedObject): void => {
      this.#player.forget(object)
      this.#player.observe(object)
    }
    if (kinds.has('v1/Node')) for (const node of this.#nodes.store.list()) if (isSimulated(node)) again(staged(node, 'Node'))
    if (!kinds.has('v1/Pod')) return
    for (const node of this.#nodes.store.list()) if (isSimulated(node)) for (const pod of this.#podsOn(node.metadata.name ?? '')) again(staged(pod, 'Pod'))
  }

  #observePod(pod: Pod): void {
    const node = this.#nodes.store.get(pod.spec.nodeName ?? '')
    if (node === undefined || !isSimulated(node)) return
    if (pod.status.podIP) this.#addresses.note(pod.metadata.uid ?? '', pod.status.podIP)
    this.#player.observe(staged(pod, 'Pod'))
  }

  /** Creates a node with its status, unless there is one of its name. */
  async #register(node: Node): Promise<void> {
    const { client, logger } = this.#env
    try {
      const created = await client.create(NODES, node)
      await client.update(NODES, { ...created, status: node.status }, 'status')
    } catch (error) {
      if (!isStatusError(error, 'AlreadyExists'))
        logger.warn('a simulated node was not registered', { name: node.metadata.name ?? '', error: errorMessage(error) })
    }
  }

  #functionsFor(object: StagedObject): TemplateFunctions {
    const { clock } = this.#env
    const addressOf = (name: string): string =>
      this.#nodes.store.get(name)?.status.addresses?.find(({ type }) => type === 'InternalIP')?.address ?? nodeAddress(1)
    return functionsIn({
      now: () => formatTime(clock.now()),
      startTime: this.#startedAt,
      version: 'simulated',
      nodeIP: () => addressOf(object.metadata.name ?? ''),
      nodeName: () => object.metadata.name ?? '',
      nodePort: () => 0,
      nodeIPsWith: name => [addressOf(name)],
      podIP: () => this.#addresses.of(object.metadata.uid ?? ''),
      podIPsWith: (name, isOnHost, uid) => [isOnHost ? addressOf(name) : this.#addresses.of(uid)],
    })
  }
}

/** An object with its kind, which objects of a cache need not carry. */
const staged = (object: Node | Pod, kind: 'Node' | 'Pod'): StagedObject => ({ ...object, apiVersion: 'v1', kind }) as StagedObject
