import type { TableDefinition, TableRowCondition } from '../../../catalog/definition.ts'
import { age } from '../../../meta/age.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { isSidecar } from '../pod-spec/visit.ts'
import type { ContainerStateTerminated, ContainerStatus, Pod, PodSpec, PodStatus } from '../v1.types.ts'

const NONE = '<none>'

/** How often containers were restarted, and when one last was (RFC 3339, '' for never: times compare as text). */
interface Restarts {
  count: number
  last: string
}

function addRestarts(restarts: Restarts, container: ContainerStatus): void {
  restarts.count += container.restartCount
  const finished = container.lastState.terminated?.finishedAt ?? ''
  if (finished > restarts.last) restarts.last = finished
}

const terminationReason = ({ reason, signal, exitCode }: ContainerStateTerminated): string => reason || (signal ? `Signal:${signal}` : `ExitCode:${exitCode}`)

const hasTrueCondition = (status: PodStatus, type: string): boolean =>
  (status.conditions ?? []).some(condition => condition.type === type && condition.status === 'True')

interface InitState {
  readonly ready: number
  /** Of init containers and sidecars. */
  readonly all: Restarts
  readonly sidecars: Restarts
  /** Why the pod is still initialising, if it is. */
  readonly reason?: string
}

function initState(spec: PodSpec, status: PodStatus): InitState {
  const { initContainers: containers = [] } = spec
  const sidecarNames = new Set(containers.filter(isSidecar).map(container => container.name))
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
  readonly ready: number
  readonly reason: string
  readonly restarts: Restarts
}

/** The columns Ready, Status and Restarts: the reason of the first container that has one counts for more than the phase. */
function summarise(pod: Pod): Summary {
  const { spec, status } = pod
  let reason = status.reason || status.phase || ''
  for (const condition of status.conditions ?? []) {
    if (condition.type === 'PodScheduled' && condition.reason === 'SchedulingGated') reason = 'SchedulingGated'
  }
  const init = initState(spec, status)
  if (init.reason !== undefined && !hasTrueCondition(status, 'Initialized')) return { ready: init.ready, reason: init.reason, restarts: init.all }
  if (init.reason !== undefined) reason = init.reason
  const restarts = init.sidecars
  let ready = init.ready
  let running = false
  for (const container of (status.containerStatuses ?? []).toReversed()) {
    addRestarts(restarts, container)
    const { waiting, terminated, running: run } = container.state
    if (waiting?.reason) reason = waiting.reason
    else if (terminated) reason = terminationReason(terminated)
    else if (container.ready && run) {
      running = true
      ready++
    }
  }
  if (reason === 'Completed' && running) reason = hasTrueCondition(status, 'Ready') ? 'Running' : 'NotReady'
  return { ready, reason, restarts }
}

function statusCell(pod: Pod, reason: string): string {
  if (!pod.metadata.deletionTimestamp) return reason
  if (pod.status.reason === 'NodeLost') return 'Unknown'
  return pod.status.phase === 'Succeeded' || pod.status.phase === 'Failed' ? reason : 'Terminating'
}

function readinessGatesCell(pod: Pod): string {
  const { readinessGates: gates = [] } = pod.spec
  if (gates.length === 0) return NONE
  const { conditions = [] } = pod.status
  const met = gates.filter(gate => conditions.find(condition => condition.type === gate.conditionType)?.status === 'True')
  return `${met.length}/${gates.length}`
}

const completed = (reason: string, message: string): readonly TableRowCondition[] => [{ type: 'Completed', status: 'True', reason, message }]
const SUCCEEDED = completed('Succeeded', 'The pod has completed successfully.')
const FAILED = completed('Failed', 'The pod failed.')

/** What `kubectl get pods` shows. The status cell sums up phase, conditions and states of containers. */
export const podTable: TableDefinition<Pod> = {
  columns: [
    nameColumn,
    column('Ready', 'Containers that are ready, of those that should be.'),
    column('Status', 'What the containers of the pod do, in one word.'),
    column('Restarts', 'How often containers of the pod were restarted, and when the last time was.'),
    ageColumn,
    column('IP', 'Address of the pod; empty until it has one.', 1),
    column('Node', 'Node that runs the pod.', 1),
    column('Nominated Node', 'Node on which pods are being preempted to make room for this one.', 1),
    column('Readiness Gates', 'Conditions for readiness that are met, of those that the pod asks for.', 1),
  ],
  conditions: ({ status }) => (status.phase === 'Succeeded' ? SUCCEEDED : status.phase === 'Failed' ? FAILED : undefined),
  cells(pod, now) {
    const { spec, status } = pod
    const { ready, reason, restarts } = summarise(pod)
    const total = (spec.containers?.length ?? 0) + (spec.initContainers ?? []).filter(isSidecar).length
    return [
      pod.metadata.name ?? '',
      `${ready}/${total}`,
      statusCell(pod, reason),
      restarts.count > 0 && restarts.last !== '' ? `${restarts.count} (${age(restarts.last, now)} ago)` : String(restarts.count),
      age(pod.metadata.creationTimestamp, now),
      status.podIPs?.[0]?.ip || NONE,
      spec.nodeName || NONE,
      status.nominatedNodeName || NONE,
      readinessGatesCell(pod),
    ]
  },
}
