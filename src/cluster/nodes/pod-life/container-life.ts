import type { Container, ContainerStateTerminated, ContainerStatus, Probe } from '../../../api/core/v1.types.ts'
import { timeMillis } from '../../../meta/time.ts'
import { resizedStatus } from './container-resize.ts'
import { startContainer } from './container-start.ts'
import { type ContainerSpec, terminatedStatus, waitingStatus } from './container-statuses.ts'
import { hasProbeFailed, periodOf } from './probe-failures.ts'
import { containerEvent, type Turn, wakeAt } from './turn.ts'

/**
 * Delays before restarts, in milliseconds: the first one is immediate, and later ones double up to the last one.
 * Source: pkg/kubelet/kubelet.go.
 */
const [FIRST_RESTART_MS, LAST_RESTART_MS] = [10_000, 300_000]
/** A container that has run for this long is restarted at once. */
const RESET_MS = 600_000
/** Exit code of a container that is killed. */
const KILLED = 137

/**
 * Returns the next status of a container, one step further than the present one. Returns the present one if there is no
 * step now.
 * @param since time from which on the container may start, in milliseconds since the epoch. Undefined if it must wait
 * for others.
 * @param policy restart policy of the pod
 */
export function nextContainer(
  spec: ContainerSpec,
  present: ContainerStatus | undefined,
  since: number | undefined,
  policy: string,
  turn: Turn,
): ContainerStatus {
  const next = nextState(spec, present, since, policy, turn)
  return next.state.running ? withReadiness(spec, next, timeMillis(next.state.running.startedAt) ?? turn.now, turn) : next
}

function nextState(
  spec: ContainerSpec,
  present: ContainerStatus | undefined,
  since: number | undefined,
  policy: string,
  turn: Turn,
): ContainerStatus {
  if (present === undefined) return waitingStatus(spec, spec.waitsFor)
  const { running, terminated, waiting } = present.state
  if (running) return nextRunning(spec, present, { startedAt: timeMillis(running.startedAt) ?? turn.now, policy }, turn)
  if (terminated) return restartsAfter(spec.container, policy, terminated.exitCode) ? restart(spec, present, terminated, turn) : present
  const last = present.lastState?.terminated
  if (waiting?.reason === 'CrashLoopBackOff' && last) return restart(spec, present, last, turn)
  if (since === undefined) return present
  return startContainer(spec, present, since, turn)
}

/**
 * Reports whether a container is started again after it has ended. Rules of the container precede its policy, which
 * precedes that of the pod.
 */
export function restartsAfter({ restartPolicy, restartPolicyRules = [] }: Container, podPolicy: string, exitCode: number): boolean {
  for (const { action, exitCodes } of restartPolicyRules) {
    const isListed = exitCodes?.values?.includes(exitCode) ?? false
    if (action === 'Restart' && exitCodes && isListed === (exitCodes.operator === 'In')) return true
  }
  const policy = restartPolicy || podPolicy
  return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0)
}

/** Time in milliseconds that a container waits before it is restarted. @param ran time for which it had run */
export const restartDelay = (restarts: number, ran: number): number =>
  restarts === 0 || ran >= RESET_MS ? 0 : Math.min(FIRST_RESTART_MS * 2 ** Math.min(restarts - 1, 10), LAST_RESTART_MS)

function restart(spec: ContainerSpec, present: ContainerStatus, ended: ContainerStateTerminated, turn: Turn): ContainerStatus {
  const [startedAt, finishedAt] = [timeMillis(ended.startedAt) ?? turn.now, timeMillis(ended.finishedAt) ?? turn.now]
  const delay = restartDelay(present.restartCount, finishedAt - startedAt)
  const due = finishedAt + delay
  if (due <= turn.now) return startContainer(spec, present, due, turn)
  wakeAt(turn, due)
  if (present.state.waiting) return present
  const { name } = spec.container
  turn.events.push(containerEvent('Warning', 'BackOff', `Back-off restarting failed container ${name} in pod ${turn.podName}`, spec.path))
  const message = `back-off ${backOffText(delay)} restarting failed container=${name} pod=${turn.podName}`
  return waitingStatus(spec, 'CrashLoopBackOff', { ...present, lastState: { terminated: ended } }, message)
}

function backOffText(milliseconds: number): string {
  const [minutes, seconds] = [Math.floor(milliseconds / 60_000), (milliseconds % 60_000) / 1000]
  return minutes === 0 ? `${seconds}s` : `${minutes}m${seconds}s`
}

interface Running {
  readonly startedAt: number
  /** Restart policy of the pod. */
  readonly policy: string
}

function nextRunning(spec: ContainerSpec, present: ContainerStatus, { startedAt, policy }: Running, turn: Turn): ContainerStatus {
  const { runFor } = spec.behavior
  const failed = failedProbe(spec, present, startedAt, turn)
  if (failed !== undefined) {
    const isRestarted = restartsAfter(spec.container, policy, KILLED)
    const message = `Container ${spec.container.name} failed ${failed} probe${isRestarted ? ', will be restarted' : ''}`
    turn.events.push(containerEvent('Normal', 'Killing', message, spec.path))
    return terminatedStatus(present, KILLED, 'Error', turn)
  }
  if (runFor !== undefined && startedAt + runFor <= turn.now) return endedStatus(spec, present, turn)
  if (runFor !== undefined) wakeAt(turn, startedAt + runFor)
  return turn.rules.reportsResources ? resizedStatus(spec, present, turn) : present
}

/**
 * Returns the probe for which a running container is killed. The liveness probe begins when the startup probe has
 * succeeded.
 */
function failedProbe(spec: ContainerSpec, { started }: ContainerStatus, startedAt: number, turn: Turn): 'startup' | 'liveness' | undefined {
  if (!started && hasProbeFailed(spec, 'startup', startedAt, turn)) return 'startup'
  return started && hasProbeFailed(spec, 'liveness', startedAt, turn) ? 'liveness' : undefined
}

/**
 * Returns the status of a running container with the results of its probes. An init container is ready only when it has
 * completed.
 */
function withReadiness(spec: ContainerSpec, status: ContainerStatus, startedAt: number, turn: Turn): ContainerStatus {
  const started = isStarted(spec, status, startedAt, turn)
  const ready = spec.role !== 'init' && started && isReady(spec, status, startedAt, turn)
  return status.started === started && status.ready === ready ? status : { ...status, started, ready }
}

/** Returns the status of a container that exits now. Its message is what it wrote to its termination log. */
function endedStatus({ behavior, role }: ContainerSpec, present: ContainerStatus, turn: Turn): ContainerStatus {
  const { exitCode, exitReason, message } = behavior
  const status = terminatedStatus(present, exitCode, exitReason, turn, message)
  return role === 'init' && exitCode === 0 ? { ...status, ready: true } : status
}

/** A container with a startup probe is started when the probe has succeeded: after its initial delay. */
function isStarted({ container, behavior }: ContainerSpec, { started }: ContainerStatus, startedAt: number, turn: Turn): boolean {
  const { startupProbe } = container
  if (started || startupProbe === undefined) return true
  if (behavior.failure === 'NotReady' || behavior.failingProbes.includes('startup')) return false
  return isPast(startedAt + (behavior.readyAfter ?? delayOf(startupProbe)), turn)
}

/**
 * A container with a readiness probe is ready when the probe has succeeded as often as it must, from its initial delay
 * on.
 */
function isReady(spec: ContainerSpec, { ready }: ContainerStatus, startedAt: number, turn: Turn): boolean {
  const { behavior, role } = spec
  const { readinessProbe } = spec.container
  const hasFailed = hasProbeFailed(spec, 'readiness', startedAt, turn)
  // A container that is ready stays ready until the probe has failed often enough, and another one does not become
  // ready.
  if (readinessProbe && behavior.failingProbes.includes('readiness')) return ready && !hasFailed
  if (behavior.failure === 'NotReady') return role === 'sidecar' && readinessProbe === undefined
  return isPast(startedAt + (behavior.readyAfter ?? (readinessProbe ? delayOf(readinessProbe) : 0)), turn)
}

const delayOf = (probe: Probe): number =>
  (probe.initialDelaySeconds ?? 0) * 1000 + (Math.max(1, probe.successThreshold ?? 1) - 1) * periodOf(probe)

function isPast(at: number, turn: Turn): boolean {
  if (at <= turn.now) return true
  wakeAt(turn, at)
  return false
}
