import type { Node, Pod } from '../../api/core/v1.types.ts'
import type { TypedObject } from '../../api/meta/object.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { untilAborted } from '../../lib/on-abort.ts'
import { eachInSlices } from '../../lib/slices.ts'
import { deepEqual } from '../../meta/equal.ts'
import { isStatusError } from '../../meta/status.ts'
import { formatTime } from '../../meta/time.ts'
import { type StagedObject, StageEngine } from '../kwok/engine/stage-engine.ts'
import { StagePlayer } from '../kwok/engine/stage-player.ts'
import { decodeStage } from '../kwok/stage/decode.ts'
import { StageSet } from '../kwok/stages/stage-set.ts'
import { functionsIn, type TemplateFunctions } from '../kwok/template/template.ts'
import { declaredFeatures } from '../shared/declared-features.ts'
import { type ClusterEnvironment, type ClusterPart, queueOf, recorderOf, untilSynced } from '../shared/environment.ts'
import type { Informer } from '../shared/informer.ts'
import { LEASES, NODES, PODS } from '../shared/kinds.ts'
import { keepAllocatable } from '../shared/node-amounts.ts'
import { isPodTerminal, podsByNode } from '../shared/pods.ts'
import type { KeyQueue } from '../shared/work-queue.ts'
import { NodeAdmission } from './admission/node-admission.ts'
import { STAGES } from './annotations.ts'
import { createKwokDefinitions } from './kwok-definitions.ts'
import { followMetrics } from './metric-objects.ts'
import { registerMetrics } from './metrics-registration.ts'
import { NodeEvents } from './node-events.ts'
import { featuresOfNode, isSimulated, isStopped, nodeAddress } from './node-objects.ts'
import { NodeReports } from './node-reports.ts'
import { PodAddresses } from './pod-addresses.ts'
import { PodLives } from './pod-lives.ts'
import { Registration } from './registration.ts'
import { ShippedPlayers } from './shipped-players.ts'
import { KubeletStageClient } from './stage-client.ts'
import { followStages } from './stage-objects.ts'
import { StagedKinds } from './staged-kinds.ts'

const [NODE_KIND, POD_KIND] = ['v1/Node', 'v1/Pod']

/**
 * Simulates nodes with their kubelets. Nodes are registered, renew their leases, and report their conditions and the
 * statuses of their pods, step by step. Stages of users replace that. No container runs.
 */
export const kubelets: ClusterPart = (env, signal) => new Kubelets(env, signal).run()

class Kubelets {
  readonly #env: ClusterEnvironment
  readonly #signal: AbortSignal
  readonly #pods: Informer<Pod>
  readonly #podsOn: (node: string) => readonly Pod[]
  readonly #nodes: Informer<Node>
  readonly #addresses = new PodAddresses()
  readonly #admission: NodeAdmission
  readonly #nodeEvents: NodeEvents
  /** Stages of users. Without them, the state of nodes and pods is reported as by a kubelet. */
  readonly #stages = new StageSet([])
  readonly #engine: StageEngine
  readonly #player: StagePlayer
  /** Objects of other kinds that have stages. */
  readonly #stagedKinds: StagedKinds
  /** Kinds whose stages have changed. */
  readonly #restaged: KeyQueue
  /** Reports again whether the stages of a kind take effect. */
  #reportStages: (kind: string) => void = () => {}
  /** Players of the shipped stages, for pods that are annotated with their names. */
  readonly #shipped: ShippedPlayers
  readonly #lives: PodLives
  readonly #startedAt: string

  constructor(env: ClusterEnvironment, signal: AbortSignal) {
    const { informers, clock, logger, client, features } = env
    this.#env = env
    this.#signal = signal
    this.#pods = informers.of(PODS)
    this.#nodes = informers.of(NODES)
    this.#podsOn = podsByNode(this.#pods)
    this.#startedAt = formatTime(clock.now())
    const onError = ({ kind, metadata }: TypedObject, error: Error): void => {
      if (!isStatusError(error, 'NotFound', 'Conflict'))
        logger.warn('a stage failed', { kind, name: metadata.name ?? '', error: errorMessage(error) })
    }
    const events = recorderOf(env, 'kubelet', signal)
    this.#nodeEvents = new NodeEvents(events)
    const stageClient = new KubeletStageClient(client, events, kind => this.#stagedKinds.resourceOf(kind))
    const playerOf = (engine: StageEngine): StagePlayer =>
      new StagePlayer({ engine, client: stageClient, clock, functionsFor: object => this.#functionsFor(object), seed: 1, onError })
    this.#engine = new StageEngine({ stages: this.#stages.stages, seed: 1, onError })
    this.#player = playerOf(this.#engine)
    this.#stagedKinds = new StagedKinds({ env, player: this.#player, changed: kind => this.#reportStages(kind) }, signal)
    this.#restaged = queueOf(env, 'kubelet_restaged', signal, { workers: 1, work: kind => this.#restage(kind) })
    this.#shipped = new ShippedPlayers(stages => playerOf(new StageEngine({ stages: stages.map(decodeStage), seed: 1, onError })))
    const declared = declaredFeatures(features)
    this.#admission = new NodeAdmission({
      release: features.release,
      podLevel: features.enabled('PodLevelResources'),
      inPlace: features.enabled('InPlacePodVerticalScaling'),
      ofDevices: features.enabled('DRANodeAllocatableResources'),
      ...(features.enabled('NodeDeclaredFeatures') && { featuresOf: ({ metadata }) => featuresOfNode(metadata, declared) }),
      podsOn: name => this.#podsOn(name),
      changed: pod => this.#lives.review(pod),
    })
    this.#lives = new PodLives(
      {
        env,
        pods: this.#pods,
        nodeOf: pod => this.#livingNodeOf(pod),
        addresses: this.#addresses,
        admission: this.#admission,
        events,
      },
      signal,
    )
  }

  async run(): Promise<void> {
    const { informers, features } = this.#env
    const leases = informers.of(LEASES)
    const version = `v${features.release}.0`
    const registration = new Registration(this.#env, this.#nodes, version, this.#nodeEvents, this.#signal)
    const reports = new NodeReports(
      {
        env: this.#env,
        nodes: this.#nodes,
        leases,
        nextNumber: () => registration.nextNumber(),
        version,
        events: this.#nodeEvents,
        reportsStatus: () => !this.#stages.has(NODE_KIND),
        recovered: node => this.#observePodsOf(node),
      },
      this.#signal,
    )
    // As work of a queue, so that a simulation waits for it.
    const setUp = queueOf(this.#env, 'kubelet_set_up', this.#signal, { workers: 1, work: () => this.#setUp(reports) })
    if (!(await untilSynced([this.#pods, this.#nodes, leases], this.#signal))) return
    registration.begin()
    // The server is ready once all informers have synced: what clients do not wait for comes later.
    await Promise.race([informers.synced(), untilAborted(this.#signal)])
    setUp.add('all nodes')
    await untilAborted(this.#signal)
    for (const player of [this.#player, ...this.#shipped.made()]) player.close()
  }

  /** Begins to report nodes and pods, once kwok's kinds are served and the Stages of users are known. */
  async #setUp(reports: NodeReports): Promise<void> {
    const { features, client, logger } = this.#env
    await Promise.all([createKwokDefinitions(client, logger), registerMetrics(client, features.release, logger)])
    followMetrics(this.#env, this.#signal)
    this.#reportStages = await followStages(this.#env, this.#stages, this.#signal, {
      changed: kinds => this.#changeStages(kinds),
      fault: kind => this.#stagedKinds.fault(kind),
    })
    const observeNode = (node: Node): void => {
      reports.observe(node)
      if (this.#stages.has(NODE_KIND)) this.#observeStaged(node)
    }
    this.#nodes.onGradually({
      prepare: keepAllocatable,
      added: node => {
        observeNode(node)
        this.#observePodsOf(node)
      },
      updated: (node, old) => {
        observeNode(node)
        if (changesPods(old, node)) this.#observePodsOf(node)
      },
      deleted: node => {
        reports.forget(node)
        this.#admission.forget(node)
        this.#player.forget(staged(node, 'Node'))
      },
    })
    this.#pods.onGradually({
      added: pod => this.#observePod(pod),
      updated: pod => this.#observePod(pod),
      deleted: pod => {
        this.#forgetStaged(pod)
        this.#lives.forget(pod)
        this.#admission.release(pod)
        this.#addresses.release(pod.metadata.uid ?? '')
      },
    })
  }

  /** Takes the stages of kinds that have changed. Their objects follow in turns. */
  #changeStages(kinds: ReadonlySet<string>): void {
    this.#engine.setStages(this.#stages.stages)
    const others = [...this.#stages.ownKinds].filter(kind => kind !== NODE_KIND && kind !== POD_KIND)
    this.#stagedKinds.follow(new Set(others))
    for (const kind of kinds) this.#restaged.add(kind)
  }

  /** Chooses stages anew for the objects of a kind, in turns of the event loop. */
  async #restage(kind: string): Promise<void> {
    if (kind !== NODE_KIND && kind !== POD_KIND) return this.#stagedKinds.restage(kind)
    await eachInSlices([...this.#nodes.store.list()], ({ metadata: { name = '' } }) => {
      const node = this.#nodes.store.get(name)
      if (node === undefined) return
      if (kind === NODE_KIND) {
        this.#player.forget(staged(node, 'Node'))
        this.#observeStaged(node)
        return
      }
      for (const pod of this.#podsOn(name)) {
        this.#player.forget(staged(pod, 'Pod'))
        this.#observePod(pod)
      }
    })
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
    const player = this.#playerOf(pod, node)
    for (const other of [this.#player, ...this.#shipped.made()]) if (other !== player) other.forget(staged(pod, 'Pod'))
    if (isStopped(node)) return
    const { podIPs = [], podIP } = pod.status
    const addresses = podIPs.length > 0 ? podIPs.flatMap(({ ip }) => ip ?? []) : podIP ? [podIP] : []
    if (addresses.length > 0 && !pod.spec.hostNetwork) this.#addresses.note(pod.metadata.uid ?? '', addresses, node.spec.podCIDRs)
    if (isPodTerminal(pod)) this.#admission.release(pod)
    else if (player || pod.status.startTime) this.#admission.hold(pod, node)
    if (player) player.observe(staged(pod, 'Pod'))
    else this.#lives.observe(pod)
  }

  /**
   * Returns the player of the stages of a pod: those of users, or shipped ones that an annotation names. Undefined if
   * its kubelet is simulated without stages.
   */
  #playerOf({ metadata }: Pod, node: Node): StagePlayer | undefined {
    if (isStopped(node)) return undefined
    if (this.#stages.has(POD_KIND)) return this.#player
    return this.#shipped.get(metadata.annotations?.[STAGES] ?? node.metadata.annotations?.[STAGES] ?? '')
  }

  /** Returns the node of a pod if the pod's life is simulated on it without stages. */
  #livingNodeOf(pod: Pod): Node | undefined {
    const node = this.#nodes.store.get(pod.spec.nodeName ?? '')
    return node && isSimulated(node) && !isStopped(node) && this.#playerOf(pod, node) === undefined ? node : undefined
  }

  #forgetStaged(pod: Pod): void {
    for (const player of [this.#player, ...this.#shipped.made()]) player.forget(staged(pod, 'Pod'))
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
      podIP: () => this.#addresses.of(object.metadata.uid ?? '')[0] ?? '',
      podIPsWith: (name, isOnHost, uid) =>
        isOnHost ? [addressOf(name)] : this.#addresses.of(uid, this.#nodes.store.get(name)?.spec.podCIDRs),
    })
  }
}

/** An object with its kind, which objects of a cache need not carry. */
const staged = (object: Node | Pod, kind: 'Node' | 'Pod'): StagedObject => ({ ...object, apiVersion: 'v1', kind }) as StagedObject

/** Reports whether a change of a node matters for its pods. */
const changesPods = (old: Node, node: Node): boolean =>
  isSimulated(old) !== isSimulated(node) ||
  !deepEqual(old.metadata.annotations ?? {}, node.metadata.annotations ?? {}) ||
  !deepEqual(old.status.allocatable ?? {}, node.status.allocatable ?? {})
