import type { Node, Pod } from '../../api/core/v1.types.ts'
import type { TypedObject } from '../../api/meta/object.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { untilAborted } from '../../lib/on-abort.ts'
import { isStatusError } from '../../meta/status.ts'
import { formatTime } from '../../meta/time.ts'
import { type StagedObject, StageEngine } from '../kwok/engine/stage-engine.ts'
import { StagePlayer } from '../kwok/engine/stage-player.ts'
import { FAST_POD_STAGES } from '../kwok/stages/pod-stages.ts'
import { StageSet } from '../kwok/stages/stage-set.ts'
import { functionsIn, type TemplateFunctions } from '../kwok/template/template.ts'
import { type ClusterEnvironment, type ClusterPart, recorderOf, untilSynced } from '../shared/environment.ts'
import type { Informer } from '../shared/informer.ts'
import { LEASES, NODES, PODS } from '../shared/kinds.ts'
import { podsByNode } from '../shared/pods.ts'
import { createKwokDefinitions } from './kwok-definitions.ts'
import { isSimulated, isStopped, nodeAddress } from './node-objects.ts'
import { NodeReports } from './node-reports.ts'
import { PodAddresses } from './pod-addresses.ts'
import { Registration } from './registration.ts'
import { KubeletStageClient } from './stage-client.ts'
import { followStages } from './stage-objects.ts'

/**
 * Simulates nodes with their kubelets. Nodes are registered, renew their leases and report their conditions; their pods run, complete if they belong to a job, and
 * are removed when they are deleted, by stages. No container runs.
 */
export const kubelets: ClusterPart = (env, signal) => new Kubelets(env, signal).run()

class Kubelets {
  readonly #env: ClusterEnvironment
  readonly #signal: AbortSignal
  readonly #pods: Informer<Pod>
  readonly #podsOn: (node: string) => readonly Pod[]
  readonly #nodes: Informer<Node>
  readonly #addresses = new PodAddresses()
  /** Pods have built-in stages. The state of a node is reported without stages, unless a user has some for nodes. */
  readonly #stages = new StageSet(FAST_POD_STAGES, ['v1/Node'])
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
    const { informers, features, client, logger } = this.#env
    const leases = informers.of(LEASES)
    const version = `v${features.release}.0`
    const registration = new Registration(this.#env, this.#nodes, version, this.#signal)
    const reports = new NodeReports(
      {
        env: this.#env,
        nodes: this.#nodes,
        leases,
        nextNumber: () => registration.nextNumber(),
        version,
        reportsStatus: () => !this.#stages.has('v1/Node'),
      },
      this.#signal,
    )
    if (!(await untilSynced([this.#pods, this.#nodes, leases], this.#signal))) return
    await createKwokDefinitions(client, logger)
    await followStages(this.#env, this.#stages, this.#signal, kinds => this.#restage(kinds))
    const observeNode = (node: Node): void => {
      reports.observe(node)
      if (this.#stages.has('v1/Node')) this.#observeStaged(node)
    }
    this.#nodes.on({
      added: node => {
        observeNode(node)
        this.#observePodsOf(node)
      },
      updated: (node, old) => {
        observeNode(node)
        if (isStopped(old) !== isStopped(node) || isSimulated(old) !== isSimulated(node)) this.#observePodsOf(node)
      },
      deleted: node => {
        reports.forget(node)
        this.#player.forget(staged(node, 'Node'))
      },
    })
    this.#pods.on({
      added: pod => this.#observePod(pod),
      updated: pod => this.#observePod(pod),
      deleted: pod => {
        this.#player.forget(staged(pod, 'Pod'))
        this.#addresses.release(pod.metadata.uid ?? '')
      },
    })
    registration.begin()
    await untilAborted(this.#signal)
    this.#player.close()
  }

  /** Chooses stages anew for the objects of kinds whose stages have changed. */
  #restage(kinds: ReadonlySet<string>): void {
    this.#engine.setStages(this.#stages.stages)
    for (const node of this.#nodes.store.list()) {
      if (kinds.has('v1/Node')) {
        this.#player.forget(staged(node, 'Node'))
        this.#observeStaged(node)
      }
      if (!kinds.has('v1/Pod')) continue
      for (const pod of this.#podsOn(node.metadata.name ?? '')) {
        this.#player.forget(staged(pod, 'Pod'))
        this.#observePod(pod)
      }
    }
  }

  #observeStaged(node: Node): void {
    if (isSimulated(node) && !isStopped(node)) this.#player.observe(staged(node, 'Node'))
    else this.#player.forget(staged(node, 'Node'))
  }

  #observePodsOf({ metadata: { name = '' } }: Node): void {
    for (const pod of this.#podsOn(name)) this.#observePod(pod)
  }

  #observePod(pod: Pod): void {
    const node = this.#nodes.store.get(pod.spec.nodeName ?? '')
    if (node === undefined || !isSimulated(node)) return
    if (isStopped(node)) {
      this.#player.forget(staged(pod, 'Pod'))
      return
    }
    if (pod.status.podIP) this.#addresses.note(pod.metadata.uid ?? '', pod.status.podIP)
    this.#player.observe(staged(pod, 'Pod'))
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
