import type { ContainerStateTerminated, ContainerStatus, Pod, PodSpec, PodStatus } from '../../../api/core/v1.types.ts'
import type { Json } from '../../../api/meta/object.ts'
import type { TableDefinition, TableRowCondition } from '../../../catalog/definition.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'
import { age } from '../../../meta/age.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { isSidecar } from '../pod-spec/visit.ts'

/** Text of cells without a value, as in kubectl. */
const NONE = '<none>'

/**
 * Number of restarts of containers, and the time of the last one in RFC 3339. The time is empty if there was none;
 * times compare as strings.
 */
interface Restarts {
  /** Sum over the containers. */
  count: number
  /** Latest `finishedAt` of a last state. */
  last: string
}

/** Adds the restarts of a container in place. */
function addRestarts(restarts: Restarts, container: ContainerStatus): void {
  restarts.count += container.restartCount
  const finished = container.lastState.terminated?.finishedAt ?? ''
  if (finished > restarts.last) restarts.last = finished
}

const terminationReason = ({ reason, signal, exitCode }: ContainerStateTerminated): string =>
  reason || (signal ? `Signal:${signal}` : `ExitCode:${exitCode}`)

const hasTrueCondition = (status: PodStatus, type: string): boolean =>
  (status.conditions ?? []).some(condition => condition.type === type && condition.status === 'True')

/** Changes of the table in later releases. Source: pkg/printers/internalversion in k8s.io/kubernetes, by release. */
interface Shown {
  /** Whether a pod with scheduling gates prints SchedulingGated instead of its phase or reason. */
  readonly schedulingGates: boolean
  /**
   * Sidecars count as containers. In earlier releases restarts of init containers were not counted after they had
   * completed, except for the time of the last one.
   */
  readonly sidecars: boolean
  /** A finished pod does not print Terminating. */
  readonly end: boolean
  /** A failed container takes precedence over completed ones. */
  readonly failure: boolean
}

const shownIn = (release: Release): Shown => ({
  schedulingGates: isSince(release, '1.26'),
  sidecars: isSince(release, '1.28'),
  end: isSince(release, '1.31'),
  failure: isSince(release, '1.35'),
})

/** State of the init containers up to the first one that is not done. */
interface InitState {
  /** Number of sidecars that are ready. */
  readonly ready: number
  /** Restarts of all init containers, and of sidecars alone. */
  readonly all: Restarts
  readonly sidecars: Restarts
  /** Reason why the pod is still initializing. Unset if it is not. */
  readonly reason?: string
}

/**
 * Stops at the first init container that keeps the pod waiting. Restarts count up to it; sidecars that have started
 * count as done.
 */
function initState(spec: PodSpec, status: PodStatus, countsSidecars: boolean): InitState {
  const { initContainers: containers = [] } = spec
  const sidecarNames = new Set(countsSidecars ? containers.filter(isSidecar).map(container => container.name) : [])
  const all: Restarts = { count: 0, last: '' }
  const sidecars: Restarts = { count: 0, last: '' }
  let ready = 0
  for (const [i, container] of (status.initContainerStatuses ?? []).entries()) {
    addRestarts(all, container)
    const sidecar = sidecarNames.has(container.name)
    if (sidecar) addRestarts(sidecars, container)
    const { terminated, waiting } = container.state
    if (terminated && !terminated.exitCode) continue
    if (sidecar && container.started) {
      if (container.ready) ready++
      continue
    }
    const waits = waiting?.reason && waiting.reason !== 'PodInitializing'
    const reason = terminated ? terminationReason(terminated) : waits ? waiting.reason : `${i}/${containers.length}`
    return { ready, all, sidecars, reason: `Init:${reason}` }
  }
  return { ready, all, sidecars }
}

interface Summary {
  /** Number of ready containers, sidecars included. */
  readonly ready: number
  /** Text of the Status column, unless the pod is being deleted. */
  readonly reason: string
  /** Number for the column, and the time that it prints in brackets. */
  readonly restarts: Restarts
}

/**
 * Computes the columns Ready, Status and Restarts. The reason of the first container that has one takes precedence over
 * the phase.
 */
function summarise(pod: Pod, shown: Shown): Summary {
  const { spec, status } = pod
  let reason = status.reason || status.phase || ''
  for (const condition of status.conditions ?? []) {
    if (shown.schedulingGates && condition.type === 'PodScheduled' && condition.reason === 'SchedulingGated') reason = 'SchedulingGated'
  }
  const init = initState(spec, status, shown.sidecars)
  const isInitialized = shown.sidecars && hasTrueCondition(status, 'Initialized')
  if (init.reason !== undefined && !isInitialized) return { ready: init.ready, reason: init.reason, restarts: init.all }
  if (init.reason !== undefined) reason = init.reason
  const restarts = shown.sidecars ? init.sidecars : { count: 0, last: init.all.last }
  let ready = init.ready
  let running = false
  let failure: string | undefined
  for (const container of (status.containerStatuses ?? []).toReversed()) {
    addRestarts(restarts, container)
    const { waiting, terminated, running: run } = container.state
    if (waiting?.reason) reason = waiting.reason
    else if (terminated) {
      reason = terminationReason(terminated)
      if (terminated.exitCode) failure = reason
    } else if (container.ready && run) {
      running = true
      ready++
    }
  }
  if (reason === 'Completed') {
    if (running && hasTrueCondition(status, 'Ready')) reason = 'Running'
    else if (shown.failure && failure !== undefined) reason = failure
    else if (running) reason = 'NotReady'
  }
  return { ready, reason, restarts }
}

/**
 * Prints Terminating for a deleted pod, or Unknown if its node was lost. Since 1.31 a finished pod keeps its reason.
 */
function statusCell(pod: Pod, reason: string, shown: Shown): string {
  if (!pod.metadata.deletionTimestamp) return reason
  if (pod.status.reason === 'NodeLost') return 'Unknown'
  const hasEnded = pod.status.phase === 'Succeeded' || pod.status.phase === 'Failed'
  return shown.end && hasEnded ? reason : 'Terminating'
}

/** Prints how many gates have a true condition, as in `1/2`. */
function readinessGatesCell(pod: Pod): string {
  const { readinessGates: gates = [] } = pod.spec
  if (gates.length === 0) return NONE
  // If a type occurs several times, the first condition counts.
  const statuses = new Map((pod.status.conditions ?? []).toReversed().map(({ type, status }) => [type, status]))
  const met = gates.filter(gate => statuses.get(gate.conditionType) === 'True')
  return `${met.length}/${gates.length}`
}

const completed = (reason: string, message: string): readonly TableRowCondition[] => [
  { type: 'Completed', status: 'True', reason, message },
]
/** Row condition of completed pods. Clients may show such rows with less priority. */
const SUCCEEDED = completed('Succeeded', 'The pod has completed successfully.')
const FAILED = completed('Failed', 'The pod failed.')

/** Table of pods in a release. The status cell summarizes phase, conditions and container states. */
export function podTableIn(release: Release): TableDefinition<Pod> {
  const shown = shownIn(release)
  return { ...TABLE, cells: (pod, now) => cellsOf(pod, now, shown) }
}

/** Columns, which all releases have. The last argument 1 marks columns of `-o wide`. */
const TABLE: Omit<TableDefinition<Pod>, 'cells'> = {
  columns: [
    nameColumn,
    column('Ready', 'Ready and total containers.'),
    column('Status', 'Summary of the state of the containers.'),
    column('Restarts', 'Number of container restarts, and time since the last one.'),
    ageColumn,
    column('IP', 'IP address of the pod.', 1),
    column('Node', 'Node that runs the pod.', 1),
    column('Nominated Node', 'Node on which pods are preempted for this pod.', 1),
    column('Readiness Gates', 'Satisfied and required readiness gates.', 1),
  ],
  conditions: ({ status }) => (status.phase === 'Succeeded' ? SUCCEEDED : status.phase === 'Failed' ? FAILED : undefined),
}

/** Before sidecars existed, the time of the last restart was shown even if the count was zero. */
function cellsOf(pod: Pod, now: number, shown: Shown): Json[] {
  const { spec, status } = pod
  const { ready, reason, restarts } = summarise(pod, shown)
  const sidecars = shown.sidecars ? (spec.initContainers ?? []).filter(isSidecar).length : 0
  const tellsTime = restarts.last !== '' && (restarts.count > 0 || !shown.sidecars)
  return [
    pod.metadata.name ?? '',
    `${ready}/${(spec.containers?.length ?? 0) + sidecars}`,
    statusCell(pod, reason, shown),
    tellsTime ? `${restarts.count} (${age(restarts.last, now)} ago)` : String(restarts.count),
    age(pod.metadata.creationTimestamp, now),
    status.podIPs?.[0]?.ip || NONE,
    spec.nodeName || NONE,
    status.nominatedNodeName || NONE,
    readinessGatesCell(pod),
  ]
}
