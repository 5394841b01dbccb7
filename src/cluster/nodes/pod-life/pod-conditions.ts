import type { ContainerStatus, Pod, PodCondition } from '../../../api/core/v1.types.ts'
import { deepEqual } from '../../../meta/equal.ts'
import { isTerminalPhase } from '../../shared/pods.ts'
import type { PendingResize } from '../admission/resize.ts'
import type { Turn } from './turn.ts'

/** Statuses from which the conditions of a pod are computed. */
export interface PodState {
  readonly phase: string
  readonly hasSandbox: boolean
  readonly isInitialized: boolean
  readonly initStatuses: readonly ContainerStatus[]
  readonly statuses: readonly ContainerStatus[]
  /** Names of sidecars, whose readiness counts for the pod. */
  readonly sidecars: ReadonlySet<string>
  readonly isResizing: boolean
  readonly pendingResize: PendingResize | undefined
}

type ConditionReport = Pick<PodCondition, 'type' | 'status' | 'reason' | 'message'>

/**
 * Returns the conditions of a pod as its kubelet reports them, after the present ones. Conditions of other reporters
 * are kept, and one that does not change keeps its time. Source: pkg/kubelet/status/generate.go.
 */
export function podConditions(pod: Pod, state: PodState, turn: Turn): PodCondition[] {
  const present = pod.status.conditions ?? []
  const sandbox = turn.rules.sandboxCondition
  const containersReady = containersReadyReport(state)
  const reports: ConditionReport[] = [
    ...(sandbox ? [{ type: sandbox, status: truth(state.hasSandbox && !isTerminalPhase(state.phase)) }] : []),
    initializedReport(state),
    readyReport(pod, containersReady, present),
    containersReady,
    { type: 'PodScheduled', status: 'True' },
  ]
  const reported = reports.map(report => nextCondition(pod, report, present, turn))
  const isKept = ({ type }: PodCondition): boolean => !isResizeCondition(type) && !reports.some(report => report.type === type)
  return [...reported, ...resizeConditions(pod, state, turn), ...present.filter(isKept)]
}

const isResizeCondition = (type: string): boolean => type === 'PodResizePending' || type === 'PodResizeInProgress'

/** Conditions of a resize that is pending, and of one that is carried out. */
function resizeConditions(pod: Pod, { isResizing, pendingResize, phase }: PodState, turn: Turn): PodCondition[] {
  if (!turn.rules.hasResizeConditions || isTerminalPhase(phase)) return []
  const reports: ConditionReport[] = [
    ...(pendingResize ? [{ type: 'PodResizePending', status: 'True', ...pendingResize }] : []),
    ...(isResizing ? [{ type: 'PodResizeInProgress', status: 'True' }] : []),
  ]
  return reports.map(report => {
    // Another reason is another transition.
    const present = pod.status.conditions?.filter(({ type, reason }) => type === report.type && reason === report.reason) ?? []
    const next = nextCondition(pod, report, present, turn)
    return present.includes(next) ? next : { ...next, lastProbeTime: turn.time }
  })
}

/** Returns a condition that is reported now. It keeps its times if its status is the same. */
export function nextCondition(pod: Pod, report: ConditionReport, present: readonly PodCondition[], { time, rules }: Turn): PodCondition {
  const old = present.find(({ type }) => type === report.type)
  const next: PodCondition = {
    ...report,
    lastProbeTime: null,
    lastTransitionTime: old?.status === report.status ? old.lastTransitionTime : time,
    ...(rules.reportsGeneration && pod.metadata.generation !== undefined && { observedGeneration: pod.metadata.generation }),
  }
  return old && deepEqual({ ...old, lastProbeTime: null }, next) ? old : next
}

const truth = (is: boolean): 'True' | 'False' => (is ? 'True' : 'False')

function initializedReport({ phase, isInitialized, initStatuses }: PodState): ConditionReport {
  if (phase === 'Succeeded') return { type: 'Initialized', status: 'True', reason: 'PodCompleted' }
  if (isInitialized) return { type: 'Initialized', status: 'True' }
  const incomplete = initStatuses
    .filter(({ state, started }) => state.terminated?.exitCode !== 0 && !(state.running && started))
    .map(({ name }) => name)
  return {
    type: 'Initialized',
    status: 'False',
    reason: 'ContainersNotInitialized',
    message: `containers with incomplete status: [${incomplete.join(' ')}]`,
  }
}

function containersReadyReport({ phase, statuses, initStatuses, sidecars }: PodState): ConditionReport {
  const type = 'ContainersReady'
  if (phase === 'Succeeded') return { type, status: 'False', reason: 'PodCompleted' }
  if (phase === 'Failed') return { type, status: 'False', reason: 'PodFailed' }
  const unready = [...initStatuses.filter(({ name }) => sidecars.has(name)), ...statuses]
    .filter(({ ready }) => !ready)
    .map(({ name }) => name)
  if (unready.length === 0) return { type, status: 'True' }
  return { type, status: 'False', reason: 'ContainersNotReady', message: `containers with unready status: [${unready.join(' ')}]` }
}

/** A pod is ready if its containers are, and the conditions of its readiness gates are true. */
function readyReport(
  { spec: { readinessGates = [] } }: Pod,
  containersReady: ConditionReport,
  present: readonly PodCondition[],
): ConditionReport {
  if (containersReady.status !== 'True') return { ...containersReady, type: 'Ready' }
  // The first condition of a type counts.
  const byType = new Map(readinessGates.length === 0 ? [] : present.toReversed().map(condition => [condition.type, condition]))
  const faults = readinessGates.flatMap(({ conditionType }) => {
    const gate = byType.get(conditionType)
    if (!gate) return [`corresponding condition of pod readiness gate "${conditionType}" does not exist.`]
    return gate.status === 'True' ? [] : [`the status of pod readiness gate "${conditionType}" is not "True", but ${gate.status}`]
  })
  return faults.length === 0
    ? { type: 'Ready', status: 'True' }
    : { type: 'Ready', status: 'False', reason: 'ReadinessGatesNotReady', message: faults.join(', ') }
}
