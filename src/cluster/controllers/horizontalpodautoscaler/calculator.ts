import type { Pod } from '../../../api/core/v1.types.ts'
import { isStepDone, type Steps } from '../../../lib/steps.ts'
import { isPodReady } from '../../shared/pods.ts'
import { groupPods, type PodGroups, type PodMetric, type PodMetrics, READINESS_PERIODS, type ReadinessPeriods } from './group-pods.ts'
import { type PodRequestRules, requestsOfPods } from './requests.ts'

/** Deviations of a metric from its target that change nothing, as shares of the target. */
export interface Tolerances {
  /** Share below the target that removes no replicas: 0.1. */
  readonly scaleDown: number
  readonly scaleUp: number
}

/** Input of a proposal from metrics of pods. */
export interface PodProposalInput {
  /** Replicas in the spec of the target. */
  readonly current: number
  /** Pods that the selector of the target matches. */
  readonly pods: readonly Pod[]
  /** Use by the name of the pod. */
  readonly metrics: PodMetrics
  readonly tolerances: Tolerances
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Optional. Times in which a pod that starts may be unready. Defaults to those of kube-controller-manager. */
  readonly periods?: ReadinessPeriods
  /** Optional. If omitted, the rules of releases before 1.34 hold. */
  readonly requestRules?: PodRequestRules
}

/** Proposed number of replicas. Uses are in thousandths. */
export interface Proposal {
  /** Proposed number, before bounds and policies apply. */
  readonly replicas: number
  /** Use of a pod, or of the object if that is the target. */
  readonly usage: number
  /** Use in percent of the requests. Undefined for other targets. */
  readonly utilization?: number
}

/** Use in relation to its target. */
interface Ratio extends Omit<Proposal, 'replicas'> {
  /** Above 1 if there are too few replicas. */
  readonly ratio: number
}

const OLDEST_RULES: PodRequestRules = { podLevel: false, needsContainer: false }
/** Messages in upstream's words. */
const NO_PODS = 'no pods returned by selector while calculating replica count'
const UNREADY = 'did not receive metrics for targeted pods (pods might be unready)'
/** Metric of a pod that is assumed to use nothing. */
const NO_USE: PodMetric = { value: 0, timestamp: 0, window: 0 }

const isWithin = ({ scaleDown, scaleUp }: Tolerances, ratio: number): boolean => 1 - scaleDown <= ratio && ratio <= 1 + scaleUp

/**
 * Proposes replicas so that pods use a share of their requests, in steps. Throws an Error with upstream's message.
 * @param target percent.
 */
export function* utilizationProposal(input: PodProposalInput, resource: string, target: number, container = ''): Steps<Proposal> {
  const counted = yield* countedPods(input, resource)
  const requests = yield* requestsOfPods(input.pods, container, resource, input.requestRules ?? OLDEST_RULES)
  const fallback = Math.max(100, target)
  return yield* proposalOf(input, counted, {
    ratio: metrics => utilizationRatio(metrics, requests, target),
    missing: name => Math.trunc(((requests.get(name) ?? 0) * fallback) / 100),
  })
}

/**
 * Proposes replicas so that pods have an average value, in steps. @param target thousandths. @param resource empty for
 * a metric that is no resource.
 */
export function* averageProposal(input: PodProposalInput, target: number, resource = ''): Steps<Proposal> {
  const counted = yield* countedPods(input, resource)
  return yield* proposalOf(input, counted, { ratio: metrics => usageRatio(metrics, target), missing: () => target })
}

/** Proposes replicas so that a value of an object, or an external one, reaches its target. Uses are in thousandths. */
export function valueProposal(
  { current, pods, tolerances }: Pick<PodProposalInput, 'current' | 'pods' | 'tolerances'>,
  usage: number,
  target: number,
): Proposal {
  const ratio = usage / target
  if (current === 0) return { replicas: Math.ceil(ratio), usage }
  if (isWithin(tolerances, ratio)) return { replicas: current, usage }
  if (pods.length === 0) throw new Error(`unable to calculate ready pods: ${NO_PODS}`)
  const ready = pods.filter(pod => pod.status.phase === 'Running' && isPodReady(pod)).length
  return { replicas: Math.ceil(ratio * ready), usage }
}

/** Proposes replicas so that a value divided by them reaches its target. @param current replicas in the status. */
export function perReplicaProposal(current: number, tolerances: Tolerances, usage: number, target: number): Proposal {
  const isEnough = isWithin(tolerances, usage / (target * current))
  return { replicas: isEnough ? current : Math.ceil(usage / target), usage: current === 0 ? usage : Math.ceil(usage / current) }
}

/** Groups of pods, and the metrics of those that count or that are not among the pods. */
interface CountedPods {
  readonly groups: PodGroups
  readonly metrics: Map<string, PodMetric>
}

/** Groups pods by what their metrics are worth. Throws an Error if there are no pods, or no metrics that count. */
function* countedPods({ pods, metrics: all, now, periods = READINESS_PERIODS }: PodProposalInput, resource: string): Steps<CountedPods> {
  if (pods.length === 0) throw new Error(NO_PODS)
  const groups = yield* groupPods(pods, all, resource, now, periods)
  const metrics = new Map<string, PodMetric>()
  for (const [name, metric] of all) {
    if (isStepDone()) yield
    if (!groups.ignored.has(name) && !groups.unready.has(name)) metrics.set(name, metric)
  }
  if (metrics.size === 0) throw new Error(UNREADY)
  return { groups, metrics }
}

/** Computation of a ratio from the metrics of pods. */
interface Measure {
  /** Returns the ratio of pods with these metrics. */
  ratio(metrics: PodMetrics): Steps<Ratio>
  /** Use that is assumed for a pod without metrics when the number of pods would shrink. */
  missing(name: string): number
}

/**
 * Proposes replicas by a ratio. Pods without metrics are assumed to use what makes the change smaller; if that reverses
 * it, nothing changes.
 */
function* proposalOf({ current, tolerances }: PodProposalInput, { groups, metrics }: CountedPods, measure: Measure): Steps<Proposal> {
  const { ready, unready, missing } = groups
  const { ratio, ...use } = yield* measure.ratio(metrics)
  const addsUnready = unready.size > 0 && ratio > 1
  if (!addsUnready && missing.size === 0) return { replicas: isWithin(tolerances, ratio) ? current : Math.ceil(ratio * ready), ...use }
  if (ratio !== 1) for (const name of missing) metrics.set(name, ratio < 1 ? { ...NO_USE, value: measure.missing(name) } : NO_USE)
  if (addsUnready) for (const name of unready) metrics.set(name, NO_USE)
  const { ratio: next } = yield* measure.ratio(metrics)
  if (isWithin(tolerances, next) || (ratio < 1 && next > 1) || (ratio > 1 && next < 1)) return { replicas: current, ...use }
  const replicas = Math.ceil(next * metrics.size)
  return { replicas: (next < 1 && replicas > current) || (next > 1 && replicas < current) ? current : replicas, ...use }
}

/** Returns use in percent of the requests, in relation to its target. Pods without requests do not count. */
function* utilizationRatio(metrics: PodMetrics, requests: ReadonlyMap<string, number>, target: number): Steps<Ratio> {
  let [used, requested, count] = [0, 0, 0]
  for (const [name, { value }] of metrics) {
    if (isStepDone()) yield
    const request = requests.get(name)
    if (request === undefined) continue
    used += value
    requested += request
    count++
  }
  if (requested === 0) throw new Error('no metrics returned matched known pods')
  const utilization = Math.trunc((used * 100) / requested)
  return { ratio: utilization / target, utilization, usage: Math.trunc(used / count) }
}

/** Returns the average use of a pod, in relation to its target. */
function* usageRatio(metrics: PodMetrics, target: number): Steps<Ratio> {
  let total = 0
  for (const { value } of metrics.values()) {
    if (isStepDone()) yield
    total += value
  }
  const usage = Math.trunc(total / metrics.size)
  return { ratio: usage / target, usage }
}
