import type { Node, ObjectReference, Pod } from '../../api/core/v1.types.ts'
import { objectKey } from '../../clients/api-client.ts'
import { isSince } from '../../lifecycle/release.ts'
import { isStatusError } from '../../meta/status.ts'
import { type ClusterEnvironment, queueOf } from '../shared/environment.ts'
import type { EventRecorder } from '../shared/event-recorder.ts'
import type { Informer } from '../shared/informer.ts'
import { PODS } from '../shared/kinds.ts'
import { isPodActive } from '../shared/pods.ts'
import type { KeyQueue } from '../shared/work-queue.ts'
import type { NodeAdmission } from './admission/node-admission.ts'
import type { PodAddresses } from './pod-addresses.ts'
import { podBehavior } from './pod-life/behavior.ts'
import { startMessages } from './pod-life/container-start.ts'
import { nextStep } from './pod-life/next-step.ts'
import type { LifeRules, PodEvent, ProbeFailures, Pulls } from './pod-life/turn.ts'

const WORKERS = 32
/** Steps that are taken for a pod before others have their turn. */
const MOST_STEPS = 16

export interface PodLivesOptions {
  readonly env: ClusterEnvironment
  readonly pods: Informer<Pod>
  /** Returns the node of a pod if this program simulates it, and it is not stopped. */
  readonly nodeOf: (pod: Pod) => Node | undefined
  readonly addresses: PodAddresses
  /** Decides which pods run, and with which resources. */
  readonly admission: NodeAdmission
  readonly events: EventRecorder
}

/** Writes the statuses of pods on simulated nodes, step by step. A key is a pod. */
export class PodLives {
  readonly #options: PodLivesOptions
  readonly #rules: LifeRules
  readonly #queue: KeyQueue
  /** Pods as they were written, by key, until the informer observes the write. */
  readonly #written = new Map<string, Pod>()
  /** Failed pulls and probes of pods that have any, by uid. */
  readonly #attempts = new Map<string, { readonly pulls: Pulls; readonly probes: ProbeFailures }>()
  /** Faults of annotations that were reported, by the uid of the pod. */
  readonly #reported = new Map<string, string>()

  constructor(options: PodLivesOptions, signal: AbortSignal) {
    this.#options = options
    this.#rules = lifeRules(options.env)
    this.#queue = queueOf(options.env, 'kubelet_pods', signal, { workers: WORKERS, work: key => this.#sync(key) })
  }

  /** Takes a pod that is new or has changed, or whose node has. */
  observe(pod: Pod): void {
    const key = objectKey(pod)
    const written = this.#written.get(key)
    if (written && written.metadata.uid === pod.metadata.uid && isOlder(pod, written)) return
    this.#written.delete(key)
    this.#queue.add(key)
  }

  /** Looks at a pod again, as another one has changed what it may have. */
  review(pod: Pod): void {
    this.#queue.add(objectKey(pod))
  }

  forget(pod: Pod): void {
    const { uid = '' } = pod.metadata
    this.#written.delete(objectKey(pod))
    this.#attempts.delete(uid)
    this.#reported.delete(uid)
  }

  async #sync(key: string): Promise<void> {
    let pod = this.#written.get(key) ?? this.#options.pods.store.get(key)
    for (let steps = 0; pod !== undefined; steps++) {
      if (steps >= MOST_STEPS) return this.#queue.add(key)
      pod = await this.#step(key, pod)
    }
  }

  /** Takes one step. Returns the pod after it, or undefined if there is nothing to do for now. */
  async #step(key: string, pod: Pod): Promise<Pod | undefined> {
    const node = this.#options.nodeOf(pod)
    if (node === undefined) return undefined
    const { env, addresses, admission } = this.#options
    const { uid = '' } = pod.metadata
    const now = env.clock.now()
    const behavior = podBehavior(pod, node.metadata.annotations)
    if (behavior.faults.length > 0) this.#reportFaults(pod, behavior.faults)
    const admitted = isPodActive(pod) ? admission.admit(pod, node) : undefined
    // They are reported once, so they must not depend on the write of the status.
    if (admitted?.kind === 'admitted') this.#record(pod, admitted.events, node)
    const attempts = this.#attempts.get(uid) ?? { pulls: new Map(), probes: new Map() }
    const step = nextStep({
      pod,
      admission: admitted,
      behavior,
      now,
      rules: this.#rules,
      ...attempts,
      hostIPs: (node.status.addresses ?? []).flatMap(({ type, address }) => (type === 'InternalIP' ? [address] : [])),
      podIPs: () => addresses.of(uid, node.spec.podCIDRs ?? []),
    })
    if (attempts.pulls.size > 0 || attempts.probes.size > 0) this.#attempts.set(uid, attempts)
    if (step.kind === 'remove') await this.#remove(pod)
    else if (step.kind === 'write') return this.#write(key, pod, step.status, step.events, node)
    else {
      if (step.events) this.#record(pod, step.events, node)
      if (step.until !== Number.POSITIVE_INFINITY) this.#queue.addAfter(key, Math.max(1, step.until - now))
    }
    return undefined
  }

  async #write(key: string, pod: Pod, status: Pod['status'], events: readonly PodEvent[], node: Node): Promise<Pod | undefined> {
    const { env, pods } = this.#options
    try {
      const written = await env.clientOfNode(node.metadata.name ?? '').update(PODS, { ...pod, status }, 'status')
      // The status is stored in another form, which is the present one. Another write would change nothing either.
      if (written.metadata.resourceVersion === pod.metadata.resourceVersion) return undefined
      const seen = pods.store.get(key)
      if (seen && seen.metadata.uid === written.metadata.uid && isOlder(seen, written)) this.#written.set(key, written)
      this.#record(written, events, node)
      return written
    } catch (error) {
      if (isStatusError(error, 'NotFound')) return undefined
      this.#written.delete(key)
      if (isStatusError(error, 'Conflict')) return this.#afterConflict(key, pod)
      throw error
    }
  }

  /** Another client has changed the pod. Its change is either here, or arrives as an event. */
  #afterConflict(key: string, pod: Pod): Pod | undefined {
    const seen = this.#options.pods.store.get(key)
    return seen && isOlder(pod, seen) ? seen : undefined
  }

  async #remove(pod: Pod): Promise<void> {
    const { namespace = '', name = '', uid } = pod.metadata
    try {
      await this.#options.env
        .clientOfNode(pod.spec.nodeName ?? '')
        .delete(PODS, namespace, name, { gracePeriodSeconds: 0, ...(uid !== undefined && { uid }) })
    } catch (error) {
      if (!isStatusError(error, 'NotFound', 'Conflict')) throw error
    }
  }

  #record(pod: Pod, events: readonly PodEvent[], node: Node): void {
    const { namespace, name = '', uid, resourceVersion } = pod.metadata
    const about: ObjectReference = {
      kind: 'Pod',
      ...(namespace !== undefined && { namespace }),
      name,
      ...(uid !== undefined && { uid }),
      apiVersion: 'v1',
      ...(resourceVersion !== undefined && { resourceVersion }),
    }
    for (const { type, reason, message, container } of events)
      this.#options.events.recordFor(
        { ...about, ...(container !== undefined && { fieldPath: container }) },
        type,
        reason,
        message,
        node.metadata.name,
      )
  }

  #reportFaults(pod: Pod, faults: readonly string[]): void {
    const { uid = '' } = pod.metadata
    const text = faults.join('; ')
    if (this.#reported.get(uid) === text) return
    this.#reported.set(uid, text)
    this.#options.events.record(PODS, pod, 'Warning', 'InvalidAnnotation', text)
  }
}

/** Reports whether an object has an older version than another one. Versions of one server are numbers. */
const isOlder = (a: Pod, b: Pod): boolean => Number(a.metadata.resourceVersion) < Number(b.metadata.resourceVersion)

function lifeRules({ features }: ClusterEnvironment): LifeRules {
  const { release } = features
  return {
    sandboxCondition:
      isSince(release, '1.28') && features.enabled('PodReadyToStartContainersCondition') ? 'PodReadyToStartContainers' : undefined,
    hasHostIPs: isSince(release, '1.29'),
    reportsResources: features.enabled('InPlacePodVerticalScaling'),
    reportsGeneration: features.enabled('PodObservedGenerationTracking'),
    hasDisruptionTarget: isSince(release, '1.26'),
    startMessages: (name, image) => startMessages(release, name, image),
    showsPullError: isSince(release, '1.32'),
    hasResizeConditions: isSince(release, '1.33'),
    reportsResizes: isSince(release, '1.34'),
    rejectionPrefix: isSince(release, '1.26') ? 'Pod was rejected: ' : 'Pod ',
  }
}
