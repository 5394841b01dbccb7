import type { Scale } from '../../../api/autoscaling/v1.types.ts'
import type { HorizontalPodAutoscaler, MetricStatus } from '../../../api/autoscaling/v2.types.ts'
import type { Pod } from '../../../api/core/v1.types.ts'
import { objectKey } from '../../../clients/api-client.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import { untilAborted } from '../../../lib/on-abort.ts'
import { startInTurns } from '../../../lib/steps.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { deepEqual } from '../../../meta/equal.ts'
import { quantityMilliValue } from '../../../meta/quantity.ts'
import { formatTime } from '../../../meta/time.ts'
import { type ClusterEnvironment, type ClusterPart, queueOf, recorderOf, untilSynced } from '../../shared/environment.ts'
import type { EventRecorder } from '../../shared/event-recorder.ts'
import type { Informer } from '../../shared/informer.ts'
import { AUTOSCALERS, CUSTOM_RESOURCE_DEFINITIONS, PODS } from '../../shared/kinds.ts'
import { podsBySelector } from '../../shared/label-index.ts'
import { Scales } from '../../shared/scale-reader.ts'
import type { KeyQueue } from '../../shared/work-queue.ts'
import type { Tolerances } from './calculator.ts'
import {
  type AutoscalerMemory,
  boundsDecision,
  type Combined,
  combineMetrics,
  type MetricResult,
  normalizeReplicas,
  rescaleReason,
} from './decide.ts'
import { type ScaleEvent, withScaleEvent } from './limits.ts'
import { MetricError, metricProposal, type TargetState } from './metrics.ts'
import { metricsOf } from './metrics-api.ts'
import { podRequestRules } from './requests.ts'
import { ableToScale, type ConditionState, scalingActive, withConditions } from './status.ts'
import { ambiguousSelector, SelectorError, selectingAutoscalers, targetSelector } from './target-pods.ts'

const WORKERS = 5
/** Interval between passes over an autoscaler, in milliseconds. Metrics cannot be watched. */
const INTERVAL = 15_000
const TOLERANCE = 0.1

/** Sets the replicas of the targets of HorizontalPodAutoscalers. A key is an autoscaler. */
export const horizontalPodAutoscalerController: ClusterPart = (env, signal) => new AutoscalerController(env, signal).run()

/** Pods that the selector of a target matches. */
interface TargetPods {
  readonly selector: string
  readonly pods: readonly Pod[]
}

/** Result of one pass, from which the status is made. */
interface Pass {
  readonly conditions: readonly ConditionState[]
  readonly current?: number
  readonly desired?: number
  readonly metrics?: MetricStatus[]
  readonly isRescaled?: boolean
  readonly error?: unknown
}

class AutoscalerController {
  readonly #env: ClusterEnvironment
  readonly #signal: AbortSignal
  readonly #autoscalers: Informer<HorizontalPodAutoscaler>
  readonly #selected: ReturnType<typeof podsBySelector>
  readonly #scales: Scales
  readonly #events: EventRecorder
  readonly #queue: KeyQueue
  readonly #memories = new Map<string, AutoscalerMemory>()

  constructor(env: ClusterEnvironment, signal: AbortSignal) {
    this.#env = env
    this.#signal = signal
    this.#autoscalers = env.informers.of(AUTOSCALERS)
    this.#selected = podsBySelector(env.informers.of(PODS))
    this.#scales = new Scales(env.client, env.informers.of(CUSTOM_RESOURCE_DEFINITIONS))
    this.#events = recorderOf(env, 'horizontal-pod-autoscaler', signal)
    this.#queue = queueOf(env, 'horizontalpodautoscaler', signal, { workers: WORKERS, work: key => this.#sync(key) })
  }

  async run(): Promise<void> {
    const { informers } = this.#env
    if (!(await untilSynced([this.#autoscalers, informers.of(PODS), informers.of(CUSTOM_RESOURCE_DEFINITIONS)], this.#signal))) return
    this.#autoscalers.on({
      added: autoscaler => this.#queue.addAfter(objectKey(autoscaler), INTERVAL),
      updated: autoscaler => this.#queue.addAfter(objectKey(autoscaler), INTERVAL),
      deleted: autoscaler => void this.#memories.delete(objectKey(autoscaler)),
    })
    await untilAborted(this.#signal)
  }

  async #sync(key: string): Promise<void> {
    const autoscaler = this.#autoscalers.store.get(key)
    if (!autoscaler) return
    try {
      const pass = await this.#pass(key, autoscaler)
      await this.#write(autoscaler, pass)
      if (pass.error !== undefined) this.#env.logger.debug(2, 'autoscaler failed', { key, error: errorMessage(pass.error) })
    } finally {
      this.#queue.addAfter(key, INTERVAL)
    }
  }

  async #pass(key: string, autoscaler: HorizontalPodAutoscaler): Promise<Pass> {
    const { scaleTargetRef } = autoscaler.spec
    let scale: Scale
    try {
      scale = await this.#scales.get(autoscaler.metadata.namespace ?? '', scaleTargetRef)
    } catch (error) {
      this.#warn(autoscaler, 'FailedGetScale', errorMessage(error))
      return {
        conditions: [
          ableToScale('False', 'FailedGetScale', `the HPA controller was unable to get the target's current scale: ${errorMessage(error)}`),
        ],
        error,
      }
    }
    const found = ableToScale('True', 'SucceededGetScale', "the HPA controller was able to get the target's current scale")
    const current = scale.spec.replicas ?? 0
    const now = this.#env.clock.now()
    if (!this.#memories.has(key))
      this.#memories.set(key, { recommendations: [{ replicas: current, at: now }], events: { up: [], down: [] } })
    const decision = boundsDecision(autoscaler, current)
    if (decision === 'disabled') {
      const disabled = scalingActive('False', 'ScalingDisabled', 'scaling is disabled since the replica count of the target is zero')
      return { conditions: [found, disabled], current, desired: current, metrics: [] }
    }
    if (decision) return this.#rescale(key, autoscaler, scale, { ...decision, conditions: [found], metrics: [] })
    return this.#passByMetrics(key, autoscaler, scale, found)
  }

  async #passByMetrics(key: string, autoscaler: HorizontalPodAutoscaler, scale: Scale, found: ConditionState): Promise<Pass> {
    const current = scale.spec.replicas ?? 0
    let target: TargetPods
    try {
      target = await this.#targetPods(key, autoscaler, scale)
    } catch (error) {
      if (!(error instanceof SelectorError)) throw error
      this.#warn(autoscaler, error.reason, error.message)
      this.#warn(autoscaler, 'FailedComputeMetricsReplicas', error.message)
      const { reason, message } = error.condition
      return { conditions: [found, scalingActive('False', reason, message)], current, metrics: [], error }
    }
    const combined = await this.#combine(autoscaler, scale, target)
    if (combined.replicas === undefined) {
      const { statuses: metrics, error } = combined
      this.#warn(autoscaler, 'FailedComputeMetricsReplicas', error ?? '')
      return { conditions: [found, combined.condition], current, metrics, error }
    }
    const memory = this.#memories.get(key) ?? { recommendations: [], events: { up: [], down: [] } }
    const { replicas, conditions, recommendations } = normalizeReplicas(
      autoscaler,
      memory,
      current,
      combined.replicas,
      this.#env.clock.now(),
    )
    this.#memories.set(key, { ...memory, recommendations })
    const all = [found, combined.condition, ...conditions]
    if (replicas === current) return { conditions: all, current, desired: current, metrics: combined.statuses, error: combined.error }
    const reason = rescaleReason(current, combined.replicas, combined.name)
    return this.#rescale(key, autoscaler, scale, { replicas, reason, conditions: all, metrics: combined.statuses })
  }

  /** Pods of the target. Rejects with a SelectorError if another autoscaler has some of them, too. */
  async #targetPods(key: string, { metadata: { namespace = '' } }: HorizontalPodAutoscaler, { status }: Scale): Promise<TargetPods> {
    const { selector = '' } = status
    const requirements = targetSelector(selector)
    const memory = this.#memories.get(key)
    if (memory) this.#memories.set(key, { ...memory, selector: requirements })
    const pods = await this.#selected(namespace, requirements)
    const selectors = this.#autoscalers.store.inNamespace(namespace).flatMap(each => {
      const own = objectKey(each)
      const known = this.#memories.get(own)?.selector
      return known ? [[own, known] as const] : []
    })
    const selecting = await startInTurns(selectingAutoscalers(pods, selectors))
    if (selecting.length > 1) throw ambiguousSelector(selector, selecting)
    return { selector, pods }
  }

  async #combine(autoscaler: HorizontalPodAutoscaler, scale: Scale, { selector, pods }: TargetPods): Promise<Combined> {
    const { namespace = '' } = autoscaler.metadata
    const current = scale.spec.replicas ?? 0
    const state: TargetState = {
      namespace,
      specReplicas: current,
      statusReplicas: scale.status.replicas,
      pods,
      tolerances: this.#tolerances(autoscaler),
      requestRules: podRequestRules(this.#env.features),
      now: this.#env.clock.now(),
      source: metricsOf(this.#env.client, namespace, selector, !isSince(this.#env.features.release, '1.33')),
    }
    const results: MetricResult[] = []
    for (const spec of autoscaler.spec.metrics ?? [])
      try {
        results.push(await metricProposal(spec, state))
      } catch (error) {
        if (!(error instanceof MetricError)) throw error
        this.#warn(autoscaler, error.reason, error.detail)
        results.push(error)
      }
    return combineMetrics(results, current)
  }

  #tolerances({ spec: { behavior } }: HorizontalPodAutoscaler): Tolerances {
    if (!this.#env.features.enabled('HPAConfigurableTolerance')) return { scaleDown: TOLERANCE, scaleUp: TOLERANCE }
    const of = (tolerance: string | undefined): number =>
      tolerance === undefined ? TOLERANCE : Number(quantityMilliValue(tolerance)) / 1000
    return { scaleDown: of(behavior?.scaleDown?.tolerance), scaleUp: of(behavior?.scaleUp?.tolerance) }
  }

  async #rescale(
    key: string,
    autoscaler: HorizontalPodAutoscaler,
    scale: Scale,
    to: {
      readonly replicas: number
      readonly reason: string
      readonly conditions: readonly ConditionState[]
      readonly metrics: MetricStatus[]
    },
  ): Promise<Pass> {
    const { replicas, reason, conditions, metrics } = to
    const current = scale.spec.replicas ?? 0
    try {
      await this.#scales.set(autoscaler.spec.scaleTargetRef, scale, replicas)
    } catch (error) {
      this.#warn(autoscaler, 'FailedRescale', `New size: ${replicas}; reason: ${reason}; error: ${errorMessage(error)}`)
      const failed = ableToScale(
        'False',
        'FailedUpdateScale',
        `the HPA controller was unable to update the target scale: ${errorMessage(error)}`,
      )
      return { conditions: [...conditions, failed], current, metrics, error }
    }
    this.#events.record(AUTOSCALERS, autoscaler, 'Normal', 'SuccessfulRescale', `New size: ${replicas}; reason: ${reason}`)
    this.#remember(key, autoscaler, replicas - current)
    const done = ableToScale('True', 'SucceededRescale', `the HPA controller was able to update the target scale to ${replicas}`)
    return { conditions: [...conditions, done], current, desired: replicas, metrics, isRescaled: true }
  }

  /** Remembers a change for the policies of the behavior. */
  #remember(key: string, { spec: { behavior } }: HorizontalPodAutoscaler, change: number): void {
    const memory = this.#memories.get(key)
    if (!memory || !behavior) return
    const event: ScaleEvent = { change: Math.abs(change), at: this.#env.clock.now() }
    const { up, down } = memory.events
    const events =
      change > 0 ? { up: withScaleEvent(up, event, behavior.scaleUp), down } : { up, down: withScaleEvent(down, event, behavior.scaleDown) }
    this.#memories.set(key, { ...memory, events })
  }

  async #write(autoscaler: HorizontalPodAutoscaler, { conditions, current, desired, metrics, isRescaled }: Pass): Promise<void> {
    const { status } = autoscaler
    const now = this.#env.clock.now()
    const next: HorizontalPodAutoscaler['status'] = {
      ...status,
      ...(current !== undefined && { currentReplicas: current }),
      desiredReplicas: desired ?? status.desiredReplicas,
      currentMetrics: metrics ?? status.currentMetrics,
      ...(isRescaled && { lastScaleTime: formatTime(now) }),
      conditions: withConditions(status.conditions ?? [], conditions, now),
    }
    if (deepEqual(normal(status), normal(next))) return
    try {
      await this.#env.client.update(AUTOSCALERS, { ...autoscaler, status: next }, 'status')
    } catch (error) {
      this.#warn(autoscaler, 'FailedUpdateStatus', errorMessage(error))
      throw error
    }
  }

  #warn(autoscaler: HorizontalPodAutoscaler, reason: string, message: string): void {
    this.#events.record(AUTOSCALERS, autoscaler, 'Warning', reason, message)
  }
}

/** Zero counts and empty lists are omitted when they are stored. */
const normal = ({ currentReplicas = 0, currentMetrics, ...status }: HorizontalPodAutoscaler['status']): object => ({
  ...status,
  currentReplicas,
  currentMetrics: currentMetrics ?? [],
})
