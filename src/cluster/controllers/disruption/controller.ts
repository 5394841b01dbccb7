import type { Pod } from '../../../api/core/v1.types.ts'
import type { PodDisruptionBudget } from '../../../api/policy/v1.types.ts'
import { objectKey } from '../../../clients/api-client.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import { quote } from '../../../lib/go-quote.ts'
import { untilAborted } from '../../../lib/on-abort.ts'
import { startInTurns } from '../../../lib/steps.ts'
import { matchesLabels } from '../../../meta/label-selector.ts'
import { isStatusError, undefinedIfNotFound } from '../../../meta/status.ts'
import { formatTime } from '../../../meta/time.ts'
import { type ClusterEnvironment, type ClusterPart, queueOf, recorderOf, untilSynced } from '../../shared/environment.ts'
import type { EventRecorder } from '../../shared/event-recorder.ts'
import { printGoSelector } from '../../shared/go-selector.ts'
import type { Informer } from '../../shared/informer.ts'
import { CUSTOM_RESOURCE_DEFINITIONS, DISRUPTION_BUDGETS, PODS, REPLICA_SETS } from '../../shared/kinds.ts'
import { podsBySelector } from '../../shared/label-index.ts'
import { controllerOf } from '../../shared/owner.ts'
import { recountPause } from '../../shared/recount-pause.ts'
import { type KindReference, NoScaleError, Scales } from '../../shared/scale-reader.ts'
import { selectorOf } from '../../shared/selectors.ts'
import type { KeyQueue } from '../../shared/work-queue.ts'
import { budgetStatus, countHealthy, disruptedPods, expectationOf, failedStatus, isSameStatus, untilStale, usesScale } from './budget.ts'

const WORKERS = 5
const STALE = 'DisruptionTarget'

/**
 * Counts the pods of PodDisruptionBudgets. A key is a budget; a key of the second queue is a pod that was to be
 * disrupted.
 */
export const disruptionController: ClusterPart = (env, signal) => new DisruptionController(env, signal).run()

class DisruptionController {
  readonly #env: ClusterEnvironment
  readonly #signal: AbortSignal
  readonly #budgets: Informer<PodDisruptionBudget>
  readonly #pods: Informer<Pod>
  readonly #selected: ReturnType<typeof podsBySelector>
  readonly #scales: Scales
  readonly #events: EventRecorder
  readonly #queue: KeyQueue
  readonly #stalePods: KeyQueue

  constructor(env: ClusterEnvironment, signal: AbortSignal) {
    this.#env = env
    this.#signal = signal
    this.#budgets = env.informers.of(DISRUPTION_BUDGETS)
    this.#pods = env.informers.of(PODS)
    this.#selected = podsBySelector(this.#pods)
    this.#scales = new Scales(env.client, env.informers.of(CUSTOM_RESOURCE_DEFINITIONS))
    this.#events = recorderOf(env, 'controllermanager', signal)
    this.#queue = queueOf(env, 'disruption', signal, { workers: WORKERS, work: key => this.#sync(key) })
    this.#stalePods = queueOf(env, 'stale_pod_disruption', signal, { workers: 1, work: key => this.#clearStale(key) })
  }

  async run(): Promise<void> {
    const { informers } = this.#env
    const needed = [this.#budgets, this.#pods, informers.of(REPLICA_SETS), informers.of(CUSTOM_RESOURCE_DEFINITIONS)]
    if (!(await untilSynced(needed, this.#signal))) return
    const enqueue = (budget: PodDisruptionBudget): void => this.#queue.add(objectKey(budget))
    this.#budgets.on({ added: enqueue, updated: enqueue })
    this.#pods.onGradually({
      added: pod => this.#podChanged(pod),
      updated: (pod, old) => {
        this.#podChanged(pod)
        if (pod.metadata.labels !== old.metadata.labels) this.#enqueueFor(old)
      },
      deleted: pod => this.#enqueueFor(pod),
    })
    await untilAborted(this.#signal)
  }

  #podChanged(pod: Pod): void {
    this.#enqueueFor(pod)
    const left = untilStale(pod, this.#env.clock.now())
    if (left !== undefined) this.#stalePods.addAfter(objectKey(pod), left)
  }

  /** Enqueues the budgets that select a pod. The eviction of a pod that has several is refused. */
  #enqueueFor(pod: Pod): void {
    const { namespace = '', name = '', labels } = pod.metadata
    const budgets = this.#budgets.store.inNamespace(namespace).filter(budget => selects(budget, labels))
    for (const budget of budgets) this.#queue.addAfterPause(objectKey(budget), recountPause(budget.status.expectedPods))
    if (budgets.length < 2) return
    const message = `Pod ${quote(namespace)}/${quote(name)} matches multiple PodDisruptionBudgets.  Chose ${quote(budgets[0]?.metadata.name ?? '')} arbitrarily.`
    this.#events.record(PODS, pod, 'Warning', 'MultiplePodDisruptionBudgets', message)
  }

  async #sync(key: string): Promise<void> {
    const budget = this.#budgets.store.get(key)
    if (!budget) return
    try {
      await this.#count(key, budget)
    } catch (error) {
      if (isStatusError(error, 'Conflict', 'NotFound')) throw error
      await this.#write(budget, failedStatus(budget, errorMessage(error), this.#env.clock.now()))
      throw error
    }
  }

  async #count(key: string, budget: PodDisruptionBudget): Promise<void> {
    const now = this.#env.clock.now()
    const { namespace = '' } = budget.metadata
    const { selector } = budget.spec
    const pods = selector === undefined ? [] : await this.#selected(namespace, selectorOf(selector))
    if (pods.length === 0) this.#events.record(DISRUPTION_BUDGETS, budget, 'Normal', 'NoPods', 'No matching pods found')
    const expectation = expectationOf(budget.spec, await this.#expectedPods(budget, pods))
    const { pending, overdue, checkAfter } = await startInTurns(disruptedPods(pods, budget.status, now))
    // Upstream prints the namespace in the place of the name, too.
    for (const pod of overdue)
      this.#events.record(
        PODS,
        pod,
        'Warning',
        'NotDeleted',
        `Pod was expected by PDB ${namespace}/${namespace} to be deleted but it wasn't`,
      )
    const healthy = await startInTurns(countHealthy(pods, pending))
    await this.#write(budget, budgetStatus(budget, expectation, healthy, pending, now))
    if (checkAfter !== undefined) this.#queue.addAfter(key, checkAfter + 1)
  }

  async #expectedPods(budget: PodDisruptionBudget, pods: readonly Pod[]): Promise<number> {
    if (!usesScale(budget.spec)) return pods.length
    try {
      return await this.#expectedScale(budget, pods)
    } catch (error) {
      const message = `Failed to calculate the number of expected pods: ${errorMessage(error)}`
      this.#events.record(DISRUPTION_BUDGETS, budget, 'Warning', 'CalculateExpectedPodCountFailed', message)
      throw error
    }
  }

  /** Sum of the replicas of all controllers that the pods have. */
  async #expectedScale(budget: PodDisruptionBudget, pods: readonly Pod[]): Promise<number> {
    const scales = new Map<string, number>()
    let areUnmanaged = false
    for (const pod of pods) {
      const reference = controllerOf(pod)
      if (!reference) areUnmanaged = true
      else if (!scales.has(reference.uid)) await this.#addScale(pod, scales)
    }
    if (areUnmanaged)
      this.#events.record(
        DISRUPTION_BUDGETS,
        budget,
        'Warning',
        'UnmanagedPods',
        `Pods selected by this PodDisruptionBudget (selector: ${printGoSelector(budget.spec.selector)}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.`,
      )
    let total = 0
    for (const replicas of scales.values()) total += replicas
    return total
  }

  /**
   * Enters the scale of the controller of a pod, which is the Deployment of a ReplicaSet if there is one. A ReplicaSet
   * of it counts as 0.
   */
  async #addScale(pod: Pod, scales: Map<string, number>): Promise<void> {
    const owner = controllerOf(pod)
    if (!owner) return
    const { namespace = '', name = '' } = pod.metadata
    const set = owner.kind === REPLICA_SETS.kind ? this.#env.informers.of(REPLICA_SETS).store.get(`${namespace}/${owner.name}`) : undefined
    const parent = set?.metadata.uid === owner.uid ? controllerOf(set) : undefined
    const counted = parent?.kind === 'Deployment' ? parent : owner
    if (counted !== owner) scales.set(owner.uid, 0)
    if (scales.has(counted.uid)) return
    const replicas = await this.#replicasOf(namespace, counted)
    if (replicas === undefined) throw new Error(`found no controllers for pod ${quote(name)}`)
    scales.set(counted.uid, replicas)
  }

  /** Scale of a controller. Undefined if it is gone. */
  async #replicasOf(namespace: string, owner: KindReference & { readonly uid: string }): Promise<number | undefined> {
    try {
      const { metadata, spec } = await this.#scales.get(namespace, owner)
      return metadata.uid === owner.uid ? (spec.replicas ?? 0) : undefined
    } catch (error) {
      if (error instanceof NoScaleError) throw new Error(`${error.resource} does not implement the scale subresource`)
      return undefinedIfNotFound(error)
    }
  }

  async #write(budget: PodDisruptionBudget, status: PodDisruptionBudget['status']): Promise<void> {
    if (isSameStatus(budget.status, status)) return
    await this.#env.client.update(DISRUPTION_BUDGETS, { ...budget, status }, 'status')
  }

  /** Takes back the condition of a pod that was to be disrupted but was not deleted. */
  async #clearStale(key: string): Promise<void> {
    const pod = this.#pods.store.get(key)
    const now = this.#env.clock.now()
    const left = pod && untilStale(pod, now)
    if (!pod || left === undefined) return
    if (left > 0) return this.#stalePods.addAfter(key, left)
    const { namespace = '', name = '', uid = '' } = pod.metadata
    const condition = { type: STALE, status: 'False', lastTransitionTime: formatTime(now) }
    await this.#env.client
      .patch(PODS, { namespace, name, subresource: 'status' }, { metadata: { uid }, status: { conditions: [condition] } }, 'strategic')
      .catch(undefinedIfNotFound)
  }
}

const selects = ({ spec: { selector } }: PodDisruptionBudget, labels: Pod['metadata']['labels']): boolean =>
  selector !== undefined && matchesLabels(selectorOf(selector), labels)
