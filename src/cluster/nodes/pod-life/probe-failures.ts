import type { Container, Probe } from '../../../api/core/v1.types.ts'
import type { ProbeName } from './behavior.ts'
import type { ContainerSpec } from './container-statuses.ts'
import { containerEvent, type Turn, wakeAt } from './turn.ts'

const [DEFAULT_PERIOD_SECONDS, DEFAULT_THRESHOLD] = [10, 3]
/** Most events of attempts whose times have passed together, as when the clock is moved: the burst of a kubelet. */
const MOST_EVENTS = 25
const TITLES: Readonly<Record<ProbeName, string>> = { startup: 'Startup', liveness: 'Liveness', readiness: 'Readiness' }

export const probeOf = ({ startupProbe, livenessProbe, readinessProbe }: Container, name: ProbeName): Probe | undefined =>
  ({ startup: startupProbe, liveness: livenessProbe, readiness: readinessProbe })[name]

/** Interval of the attempts of a probe, in milliseconds. */
export const periodOf = ({ periodSeconds }: Probe): number => (periodSeconds || DEFAULT_PERIOD_SECONDS) * 1000

/**
 * Reports whether a probe of a running container has failed as often as its threshold. The attempts begin after its
 * initial delay, or when its annotation is set if that is later. Each one that fails until the threshold is an event.
 * @param startedAt time at which the container started, in milliseconds since the epoch
 */
export function hasProbeFailed(spec: ContainerSpec, name: ProbeName, startedAt: number, turn: Turn): boolean {
  const { container, behavior, path } = spec
  const probe = probeOf(container, name)
  const key = `${container.name}/${name}`
  const known = turn.probes.get(key)
  if (probe === undefined || !behavior.failingProbes.includes(name)) {
    turn.probes.delete(key)
    return false
  }
  const first = Math.max(turn.now, startedAt + (probe.initialDelaySeconds ?? 0) * 1000)
  let { failed, nextAt } = known?.startedAt === startedAt ? known : { failed: 0, nextAt: first }
  const threshold = probe.failureThreshold || DEFAULT_THRESHOLD
  const period = periodOf(probe)
  const attempts = nextAt > turn.now ? 0 : Math.min(Math.max(0, threshold - failed), Math.floor((turn.now - nextAt) / period) + 1)
  failed += attempts
  nextAt += attempts * period
  for (let i = 0; i < Math.min(attempts, MOST_EVENTS); i++)
    turn.events.push(containerEvent('Warning', 'Unhealthy', `${TITLES[name]} probe failed: ${behavior.message ?? outputOf(probe)}`, path))
  turn.probes.set(key, { startedAt, failed, nextAt })
  if (failed >= threshold) return true
  wakeAt(turn, nextAt)
  return false
}

/** Output of a failing probe, as kubelets have it. */
function outputOf({ httpGet, tcpSocket, grpc }: Probe): string {
  if (httpGet) return 'HTTP probe failed with statuscode: 500'
  if (tcpSocket) return 'connection refused'
  return grpc ? 'service unhealthy (responded with "NOT_SERVING")' : 'the command failed'
}
