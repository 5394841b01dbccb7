import type { Container, ContainerStatus, Pod } from '../../../api/core/v1.types.ts'
import { timeMillis } from '../../../meta/time.ts'
import { isSidecar } from '../../shared/pods.ts'
import type { PendingResize } from '../admission/resize.ts'
import { type PodBehavior, RUNNING } from './behavior.ts'
import { nextContainer, restartsAfter } from './container-life.ts'
import { isResizing } from './container-resize.ts'
import { runContainer } from './container-start.ts'
import { type ContainerSpec, terminatedStatus, waitingStatus } from './container-statuses.ts'
import type { Turn } from './turn.ts'

/** Statuses of the containers of a pod after a step. */
export interface ContainersStep {
  readonly initStatuses: readonly ContainerStatus[]
  readonly statuses: readonly ContainerStatus[]
  readonly ephemeralStatuses: readonly ContainerStatus[]
  /** Whether all init containers have completed, and all sidecars have started. */
  readonly isInitialized: boolean
  /** Whether an init container has failed for good. */
  readonly hasFailedInit: boolean
  readonly isResizing: boolean
  /** Why a resize is not carried out now. Undefined if it is, or if there is none. */
  readonly pendingResize: PendingResize | undefined
}

/** Describes the containers of a pod for its statuses: init containers and sidecars, then its own. */
export function containerSpecs(
  { spec }: Pod,
  behavior: PodBehavior,
): { readonly init: readonly ContainerSpec[]; readonly own: readonly ContainerSpec[] } {
  const { initContainers = [] } = spec
  const waitsFor = initContainers.length > 0 ? 'PodInitializing' : 'ContainerCreating'
  const init = initContainers.map((container): ContainerSpec => {
    const given = behavior.of(container.name)
    const isLasting = isSidecar(container)
    // An init container completes at once, unless an annotation tells otherwise.
    const runFor = given.runFor ?? (isLasting ? undefined : 0)
    return {
      container,
      behavior: { ...given, runFor },
      path: `spec.initContainers{${container.name}}`,
      waitsFor,
      role: isLasting ? 'sidecar' : 'init',
    }
  })
  const own = (spec.containers ?? []).map((container): ContainerSpec => {
    return { container, behavior: behavior.of(container.name), path: `spec.containers{${container.name}}`, waitsFor, role: 'own' }
  })
  return { init, own }
}

/**
 * Takes the containers of a pod one step further. Init containers run one after the other; a sidecar lets the next one
 * begin once it has started. The pod's own containers start together when all of them are done.
 */
export function nextContainers(pod: Pod, behavior: PodBehavior, pendingResize: PendingResize | undefined, turn: Turn): ContainersStep {
  const { init, own } = containerSpecs(pod, behavior)
  const { status } = pod
  const policy = pod.spec.restartPolicy ?? 'Always'
  const present = byName([...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])])
  const isStarting = status.startTime !== undefined && status.startTime !== null
  const created = timeMillis(status.startTime) ?? turn.now
  let since: number | undefined = isStarting ? created : undefined
  const initStatuses = init.map(spec => {
    const old = present.get(spec.container.name)
    const next = nextContainer(spec, old, since, initPolicy(spec, policy), turn)
    since = since === undefined ? undefined : doneAt(spec, old, next, since)
    return next
  })
  const ownSince = since
  const statuses = own.map(spec => nextContainer(spec, present.get(spec.container.name), ownSince, policy, turn))
  const lasting = [
    ...init.flatMap((spec, i) => (spec.role === 'sidecar' ? [{ spec, next: initStatuses[i] }] : [])),
    ...own.map((spec, i) => ({ spec, next: statuses[i] })),
  ]
  return {
    initStatuses,
    statuses,
    ephemeralStatuses: ephemeralStatuses(pod, turn),
    isInitialized: init.length === 0 || since !== undefined,
    hasFailedInit: init.some((spec, i) => hasFailed(spec, initStatuses[i], policy)),
    isResizing: turn.rules.reportsResources && lasting.some(({ spec, next }) => next !== undefined && isResizing(spec, next)),
    pendingResize,
  }
}

/** Reports whether an init container has failed, and is not started again. */
function hasFailed(spec: ContainerSpec, status: ContainerStatus | undefined, policy: string): boolean {
  const exitCode = status?.state.terminated?.exitCode ?? 0
  return spec.role === 'init' && exitCode !== 0 && !restartsAfter(spec.container, initPolicy(spec, policy), exitCode)
}

/** An init container is restarted after a failure unless the pod is never restarted, and a sidecar always. */
const initPolicy = ({ role }: ContainerSpec, policy: string): string =>
  role === 'sidecar' ? 'Always' : policy === 'Never' ? 'Never' : 'OnFailure'

/**
 * Time at which an init container was done, so that the next one may start. Undefined if it is not. A sidecar is done
 * with the step after the one in which it has started, as its start is reported first.
 */
function doneAt({ role }: ContainerSpec, old: ContainerStatus | undefined, next: ContainerStatus, since: number): number | undefined {
  const isLasting = role === 'sidecar'
  const isDone = isLasting
    ? old?.state.running !== undefined && next.state.running !== undefined && next.started
    : next.state.terminated?.exitCode === 0
  if (!isDone) return undefined
  return Math.max(since, timeMillis(isLasting ? next.state.running?.startedAt : next.state.terminated?.finishedAt) ?? since)
}

/** Ephemeral containers run from the moment at which they are added. */
function ephemeralStatuses(pod: Pod, turn: Turn): ContainerStatus[] {
  const present = byName(pod.status.ephemeralContainerStatuses ?? [])
  return (pod.spec.ephemeralContainers ?? []).map(container => {
    const old = present.get(container.name)
    if (old) return old
    const spec: ContainerSpec = {
      container: container as Container,
      behavior: RUNNING,
      path: `spec.ephemeralContainers{${container.name}}`,
      waitsFor: 'ContainerCreating',
      role: 'own',
    }
    const { started: _, ...status } = runContainer(spec, waitingStatus(spec, 'ContainerCreating'), turn)
    return status
  })
}

/** Ends the containers that run or wait, with an exit code. A container that has ended keeps its state. */
export const terminateContainers = (
  statuses: readonly ContainerStatus[],
  exitCode: number,
  reason: string,
  turn: Turn,
): ContainerStatus[] => statuses.map(status => (status.state.running ? terminatedStatus(status, exitCode, reason, turn) : status))

const byName = (statuses: readonly ContainerStatus[]): ReadonlyMap<string, ContainerStatus> =>
  new Map(statuses.map(status => [status.name, status]))

/**
 * Returns the phase of a pod by the states of its own containers. Source: getPhase of pkg/kubelet/kubelet_pods.go.
 */
export function phaseOf(pod: Pod, { statuses, initStatuses, isInitialized, hasFailedInit }: ContainersStep): string {
  const policy = pod.spec.restartPolicy ?? 'Always'
  if (hasFailedInit) return 'Failed'
  if (!isInitialized && !statuses.some(({ state }) => state.running || state.terminated)) return 'Pending'
  if (statuses.some(({ state, lastState }) => state.waiting && !lastState?.terminated)) return 'Pending'
  const containers = new Map((pod.spec.containers ?? []).map(container => [container.name, container]))
  const isLive = ({ name, state }: ContainerStatus): boolean => {
    const container = containers.get(name)
    return !state.terminated || (container !== undefined && restartsAfter(container, policy, state.terminated.exitCode))
  }
  if (statuses.some(isLive)) return 'Running'
  // Sidecars end after the other containers, and the pod with them.
  if (initStatuses.some(({ state }) => state.running)) return 'Running'
  return statuses.every(({ state }) => state.terminated?.exitCode === 0) ? 'Succeeded' : 'Failed'
}
