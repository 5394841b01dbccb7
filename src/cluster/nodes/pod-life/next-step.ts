import type { Pod, PodStatus } from '../../../api/core/v1.types.ts'
import { deepEqual } from '../../../meta/equal.ts'
import { formatTime, timeMillis } from '../../../meta/time.ts'
import { disruptionTarget, isPodTerminal, isPodTerminating, isTerminalPhase } from '../../shared/pods.ts'
import type { Rejection } from '../admission/admission-check.ts'
import type { Admission } from '../admission/node-admission.ts'
import { resizeMessage } from '../admission/resize.ts'
import type { PodBehavior } from './behavior.ts'
import { nextCondition, podConditions } from './pod-conditions.ts'
import { type ContainersStep, nextContainers, phaseOf, terminateContainers } from './pod-containers.ts'
import type { LifeRules, PodEvent, ProbeFailures, Pulls, Turn } from './turn.ts'

/** A pod, and what its kubelet knows of its node and images. */
export interface LifeInput {
  readonly pod: Pod
  /** Decision of the kubelet's admission. Undefined for a pod that is deleted or has ended. */
  readonly admission: Admission | undefined
  readonly behavior: PodBehavior
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly rules: LifeRules
  readonly pulls: Pulls
  readonly probes: ProbeFailures
  readonly hostIPs: readonly string[]
  /** Returns the addresses of the pod. Called when its sandbox is created. */
  readonly podIPs: () => readonly string[]
}

/**
 * Next step of the kubelet for a pod: a status to write, a pod to remove, or nothing until a time in milliseconds since
 * the epoch, Infinity if there is none. Failed attempts of probes are events without a change of the status.
 */
export type LifeStep =
  | { readonly kind: 'write'; readonly status: PodStatus; readonly events: readonly PodEvent[] }
  | { readonly kind: 'remove' }
  | { readonly kind: 'wait'; readonly until: number; readonly events?: readonly PodEvent[] }

/** Conditions that a kubelet reports. Source: pkg/kubelet/types/pod_status.go. */
const KUBELET_CONDITIONS: readonly string[] = ['PodScheduled', 'Ready', 'Initialized', 'ContainersReady', 'PodReadyToStartContainers']
const DEADLINE_MESSAGE = 'Pod was active on the node longer than the specified deadline'

/**
 * Returns the next step for a pod on a simulated node. Pure but for `pulls` and `podIPs`. Repeated with each result, it
 * leads to a wait.
 */
export function nextStep(input: LifeInput): LifeStep {
  const { pod, admission, behavior, now, rules, pulls, probes } = input
  const { namespace = '', name = '', uid = '' } = pod.metadata
  const podName = `${name}_${namespace}(${uid})`
  const turn: Turn = { now, time: formatTime(now), rules, podName, pulls, probes, events: [], wake: Number.POSITIVE_INFINITY }
  if (isPodTerminating(pod)) return terminatingStep(input, turn)
  if (isPodTerminal(pod)) return { kind: 'wait', until: Number.POSITIVE_INFINITY }
  if (admission?.kind === 'rejected') return rejectedStep(pod, admission.rejection, turn)
  if (admission?.kind === 'preempted') return evictedStep(input, PREEMPTION, turn)
  if (behavior.evicted !== undefined) return evictedStep(input, evictionFor(behavior.evicted), turn)
  if (isPastDeadline(pod, turn)) return deadlineStep(pod, turn)
  return livingStep(input, turn)
}

/** Creates the pod's statuses first, and takes its containers further then. */
function livingStep({ pod: desired, admission, behavior, hostIPs, podIPs }: LifeInput, turn: Turn): LifeStep {
  const { pod, pending } = admission?.kind === 'admitted' ? admission : { pod: desired, pending: undefined }
  const isNew = pod.status.startTime === undefined || pod.status.startTime === null
  const containers = withEndedSidecars(pod, nextContainers(pod, behavior, pending, turn), turn)
  if (turn.rules.reportsResizes && wasResizing(pod) && !containers.isResizing)
    turn.events.push({ type: 'Normal', reason: 'ResizeCompleted', message: resizeMessage(pod, 'Pod resize completed') })
  const phase = phaseOf(pod, containers)
  const ips = isNew ? [] : podAddresses(pod, hostIPs, podIPs)
  const status: PodStatus = {
    ...writtenStatus(pod, phase, containers, isNew ? false : ips.length > 0, turn),
    ...(isNew && { startTime: turn.time }),
    ...hostAddresses(hostIPs, turn),
    ...(ips.length > 0 && { podIP: ips[0] ?? '', podIPs: ips.map(ip => ({ ip })) }),
  }
  const { events, wake } = turn
  if (!deepEqual(status, pod.status)) return { kind: 'write', status, events }
  return { kind: 'wait', until: wake, ...(events.length > 0 && { events }) }
}

/** Ends sidecars when the last of the pod's own containers has ended. */
function withEndedSidecars(pod: Pod, step: ContainersStep, turn: Turn): ContainersStep {
  const present = new Map((pod.status.containerStatuses ?? []).map(status => [status.name, status]))
  const hadEnded =
    step.statuses.length > 0 && step.statuses.every(({ name, state }) => state.terminated && present.get(name)?.state.terminated)
  if (!hadEnded || !step.initStatuses.some(({ state }) => state.running)) return step
  const next = { ...step, initStatuses: terminateContainers(step.initStatuses, 0, 'Completed', turn) }
  return isTerminalPhase(phaseOf(pod, next)) ? next : step
}

function podAddresses({ spec, status }: Pod, hostIPs: readonly string[], podIPs: () => readonly string[]): readonly string[] {
  if (status.podIPs && status.podIPs.length > 0) return status.podIPs.flatMap(({ ip }) => (ip ? [ip] : []))
  if (status.podIP) return [status.podIP]
  return spec.hostNetwork ? hostIPs : podIPs()
}

const hostAddresses = (hostIPs: readonly string[], { rules }: Turn): Pick<PodStatus, 'hostIP' | 'hostIPs'> =>
  hostIPs.length === 0 ? {} : { hostIP: hostIPs[0] ?? '', ...(rules.hasHostIPs && { hostIPs: hostIPs.map(ip => ({ ip })) }) }

const wasResizing = ({ status: { conditions } }: Pod): boolean => conditions?.some(({ type }) => type === 'PodResizeInProgress') ?? false

/** State of a resize in releases without conditions for it. */
const resizeState = ({ isResizing, pendingResize }: ContainersStep): string | undefined =>
  pendingResize?.reason ?? (isResizing ? 'InProgress' : undefined)

/** Returns the status of a pod in a phase. Members that the kubelet does not report are kept. */
function writtenStatus(pod: Pod, phase: string, step: ContainersStep, hasSandbox: boolean, turn: Turn): PodStatus {
  const { initStatuses, statuses, ephemeralStatuses } = step
  const { resize: presentResize, ...present } = pod.status
  const resize = turn.rules.hasResizeConditions || !turn.rules.reportsResources ? presentResize : resizeState(step)
  const sidecars = new Set(
    (pod.spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always').map(({ name }) => name),
  )
  return {
    ...present,
    ...(resize !== undefined && { resize }),
    ...(turn.rules.reportsGeneration && pod.metadata.generation !== undefined && { observedGeneration: pod.metadata.generation }),
    phase: phase as NonNullable<PodStatus['phase']>,
    conditions: podConditions(pod, { ...step, phase, hasSandbox, sidecars }, turn),
    ...(initStatuses.length > 0 && { initContainerStatuses: [...initStatuses] }),
    ...(statuses.length > 0 && { containerStatuses: [...statuses] }),
    ...(ephemeralStatuses.length > 0 && { ephemeralContainerStatuses: [...ephemeralStatuses] }),
  }
}

/** Statuses of a pod whose containers end now. */
function endedContainers(pod: Pod, exitCode: number, reason: string, turn: Turn): ContainersStep {
  const end = (statuses: PodStatus['containerStatuses']): ContainersStep['statuses'] =>
    terminateContainers(statuses ?? [], exitCode, reason, turn)
  const { initContainerStatuses, containerStatuses, ephemeralContainerStatuses } = pod.status
  const isInitialized = pod.status.conditions?.some(({ type, status }) => type === 'Initialized' && status === 'True') ?? false
  return {
    initStatuses: end(initContainerStatuses),
    statuses: end(containerStatuses),
    ephemeralStatuses: end(ephemeralContainerStatuses),
    isInitialized,
    hasFailedInit: false,
    isResizing: false,
    pendingResize: undefined,
  }
}

function isPastDeadline({ spec: { activeDeadlineSeconds }, status: { startTime } }: Pod, turn: Turn): boolean {
  const started = timeMillis(startTime)
  if (activeDeadlineSeconds === undefined || activeDeadlineSeconds === null || started === undefined) return false
  const deadline = started + Number(activeDeadlineSeconds) * 1000
  if (deadline > turn.now) turn.wake = Math.min(turn.wake, deadline)
  return deadline <= turn.now
}

function deadlineStep(pod: Pod, turn: Turn): LifeStep {
  const status = writtenStatus(pod, 'Failed', endedContainers(pod, 137, 'Error', turn), false, turn)
  const event: PodEvent = { type: 'Normal', reason: 'DeadlineExceeded', message: DEADLINE_MESSAGE }
  return { kind: 'write', status: { ...status, reason: 'DeadlineExceeded', message: DEADLINE_MESSAGE }, events: [event] }
}

/** A pod whose kubelet does not admit it fails. The conditions that kubelets report are removed. */
function rejectedStep(pod: Pod, { reason, message }: Rejection, turn: Turn): LifeStep {
  const { conditions, ...present } = pod.status
  const kept = (conditions ?? []).filter(({ type }) => !KUBELET_CONDITIONS.includes(type))
  return {
    kind: 'write',
    status: {
      ...present,
      ...(turn.rules.reportsGeneration && pod.metadata.generation !== undefined && { observedGeneration: pod.metadata.generation }),
      ...(kept.length > 0 && { conditions: kept }),
      phase: 'Failed',
      reason,
      message: `${turn.rules.rejectionPrefix}${message}`,
      startTime: turn.time,
    },
    events: [{ type: 'Warning', reason, message }],
  }
}

/** Why a kubelet ends a pod. */
interface Eviction {
  readonly reason: string
  readonly message: string
  /** Message of the condition DisruptionTarget. */
  readonly disruption: string
}

const evictionFor = (message: string): Eviction => ({ reason: 'Evicted', message, disruption: message })

/** Source: pkg/kubelet/preemption/preemption.go. */
const PREEMPTION: Eviction = {
  reason: 'Preempting',
  message: 'Preempted in order to admit critical pod',
  disruption: 'Pod was preempted by Kubelet to accommodate a critical pod.',
}

function evictedStep({ pod, hostIPs }: LifeInput, { reason, message, disruption }: Eviction, turn: Turn): LifeStep {
  const status = writtenStatus(pod, 'Failed', endedContainers(pod, 137, 'Error', turn), false, turn)
  const target = disruptionTarget('TerminationByKubelet', disruption, turn.now)
  const conditions = turn.rules.hasDisruptionTarget
    ? [...(status.conditions ?? []), nextCondition(pod, target, [], turn)]
    : (status.conditions ?? [])
  return {
    kind: 'write',
    status: {
      ...status,
      ...hostAddresses(hostIPs, turn),
      startTime: pod.status.startTime ?? turn.time,
      conditions,
      reason,
      message,
    },
    events: [{ type: 'Warning', reason, message }],
  }
}

/**
 * Milliseconds in which the server itself removes a pod that is deleted without a grace period. It first writes that
 * the pod is deleted, and leaves it if the server is stopped then.
 */
const SERVER_REMOVES_MS = 1000

/** A deleted pod ends its containers, reports that it has ended, and is removed. */
function terminatingStep({ pod, behavior }: LifeInput, turn: Turn): LifeStep {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers = [] } = pod.metadata
  const grace = Number(deletionGracePeriodSeconds ?? 0) * 1000
  const end = timeMillis(deletionTimestamp) ?? turn.now
  if (isPodTerminal(pod)) {
    if (grace > 0) return { kind: 'remove' }
    if (finalizers.length > 0) return { kind: 'wait', until: Number.POSITIVE_INFINITY }
    const left = end + SERVER_REMOVES_MS
    return left > turn.now ? { kind: 'wait', until: left } : { kind: 'remove' }
  }
  const begun = end - grace
  const until = begun + Math.min(behavior.stopAfter, grace)
  if (until > turn.now) return { kind: 'wait', until }
  const isKilled = behavior.stopAfter >= grace && behavior.stopAfter > 0
  const containers = endedContainers(pod, isKilled ? 137 : 0, isKilled ? 'Error' : 'Completed', turn)
  const hasRun = containers.statuses.some(({ state }) => state.terminated)
  const isSuccess = hasRun && containers.statuses.every(({ state }) => state.terminated?.exitCode === 0)
  const running = (pod.status.containerStatuses ?? []).filter(({ state }) => state.running)
  const events = running.map(
    ({ name }): PodEvent => ({
      type: 'Normal',
      reason: 'Killing',
      message: `Stopping container ${name}`,
      container: `spec.containers{${name}}`,
    }),
  )
  return { kind: 'write', status: writtenStatus(pod, isSuccess ? 'Succeeded' : 'Failed', containers, false, turn), events }
}
