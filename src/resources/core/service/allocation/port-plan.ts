import type { Service } from '../../../../api/core/v1.types.ts'
import { invalid } from '../../../../meta/field-error.ts'
import { fieldPath } from '../../../../meta/field-path.ts'
import { internalServerError, invalidError } from '../../../../meta/status.ts'
import { needsHealthCheck, needsNodePort, nodePortsOf, portsOf, serviceTypeOf } from '../fields.ts'
import { AllocationError } from './cluster-ips.ts'
import type { PortSource } from './port-set.ts'

/** Node ports that a write allocates and releases. */
export interface PortPlan {
  /** Assigned node port by index in spec.ports. */
  readonly assigned: ReadonlyMap<number, number>
  readonly healthCheck: number | undefined
  readonly taken: readonly number[]
}

/** Returns the ports to release after the write has succeeded. */
export function portsToFree(next: Service | undefined, old: Service | undefined): number[] {
  if (!old) return []
  const freed = needsNodePort(old) ? nodePortsOf(old) : []
  const kept = new Set(next && needsNodePort(next) ? nodePortsOf(next) : [])
  const health =
    needsHealthCheck(old) && !(next && needsHealthCheck(next)) && old.spec.healthCheckNodePort ? [old.spec.healthCheckNodePort] : []
  return [...new Set([...freed.filter(port => !kept.has(port)), ...health])]
}

/** Reports whether a write needs a node port that the service does not have yet. */
export function needsPorts(next: Service, old: Service | undefined): boolean {
  if (needsHealthCheck(next) && !(old && needsHealthCheck(old))) return true
  if (!needsNodePort(next)) return false
  const had = new Set(old && needsNodePort(old) ? nodePortsOf(old) : [])
  return portsOf(next).some(port => (port.nodePort ? !had.has(port.nodePort) : allocates(next)))
}

const allocates = (service: Service): boolean =>
  serviceTypeOf(service) === 'NodePort' || service.spec.allocateLoadBalancerNodePorts !== false

const serviceName = (service: Service): string => service.metadata.name ?? ''

/** Plans the node ports of a write. Changes only `ports`; carryOut updates the service. Throws StatusError. */
export function planPorts(next: Service, old: Service | undefined, ports: PortSource): PortPlan {
  const taken: number[] = []
  const assigned = new Map<number, number>()
  const take = (port: number, i: number): number => {
    try {
      ports.take(port)
    } catch (error) {
      if (!(error instanceof AllocationError)) throw error
      throw invalidError({ group: '', kind: 'Service' }, serviceName(next), [
        invalid(fieldPath('spec', 'ports').index(i).child('nodePort'), port, error.message),
      ])
    }
    taken.push(port)
    return port
  }
  const takeAny = (what: string): number => {
    try {
      const port = ports.takeAny()
      taken.push(port)
      return port
    } catch (error) {
      if (!(error instanceof AllocationError)) throw error
      throw internalServerError(`failed to allocate a ${what}: ${error.message}`)
    }
  }
  if (needsNodePort(next)) {
    if (old) planUpdate(next, old, assigned, take, takeAny)
    else planCreate(next, assigned, take, takeAny)
  }
  return { assigned, healthCheck: planHealthCheck(next, old, ports, taken), taken }
}

type Take = (port: number, i: number) => number
type TakeAny = (what: string) => number

/** Ports with the same number and different protocols share a node port. */
function planCreate(next: Service, assigned: Map<number, number>, take: Take, takeAny: TakeAny): void {
  const byPort = new Map<number, number>()
  const all = portsOf(next)
  // If a port has several node ports, the first counts.
  const wanted = new Map(
    all
      .filter(({ nodePort }) => nodePort)
      .map(({ port, nodePort }) => [port, nodePort] as const)
      .toReversed(),
  )
  for (const [i, { port, nodePort }] of all.entries()) {
    if (!nodePort && !allocates(next)) continue
    const shared = byPort.get(port)
    if (shared === undefined) {
      const requested = wanted.get(port)
      const got = requested ? take(requested, i) : takeAny('nodePort')
      assigned.set(i, got)
      byPort.set(port, got)
    } else if (!nodePort) assigned.set(i, shared)
    else if (nodePort !== shared) take(nodePort, i)
  }
}

/**
 * Takes only ports that the old service does not have. Several ports may share a node port if their protocols differ.
 */
function planUpdate(next: Service, old: Service, assigned: Map<number, number>, take: Take, takeAny: TakeAny): void {
  const had = new Set(nodePortsOf(old))
  const pairs = new Set<string>()
  for (const [i, { protocol, nodePort }] of portsOf(next).entries()) {
    if (!nodePort && !allocates(next)) continue
    let port = nodePort
    if (!port) {
      port = takeAny('nodePort')
      assigned.set(i, port)
    } else if (!had.has(port)) {
      take(port, i)
      had.add(port)
    }
    if (pairs.has(`${protocol} ${port}`)) throw internalServerError(`duplicate nodePort: {${protocol} ${port}}`)
    pairs.add(`${protocol} ${port}`)
  }
}

/**
 * Returns the port to assign. Undefined if none is needed or the old service has one already. `taken` receives it, to
 * be returned if the write fails.
 */
function planHealthCheck(next: Service, old: Service | undefined, ports: PortSource, taken: number[]): number | undefined {
  if (!needsHealthCheck(next) || (old && needsHealthCheck(old))) return undefined
  const wanted = next.spec.healthCheckNodePort ?? 0
  try {
    if (wanted === 0) {
      const port = ports.takeAny()
      taken.push(port)
      return port
    }
    ports.take(wanted)
    taken.push(wanted)
    return wanted
  } catch (error) {
    if (!(error instanceof AllocationError)) throw error
    const which = wanted === 0 ? 'a HealthCheck NodePort 0' : `requested HealthCheck NodePort ${wanted}`
    throw internalServerError(`failed to allocate ${which}: ${error.message}`)
  }
}

/** Writes the planned ports into the service. */
export function carryOut(plan: PortPlan, next: Service): void {
  for (const [i, port] of portsOf(next).entries()) {
    const assigned = plan.assigned.get(i)
    if (assigned !== undefined) port.nodePort = assigned
  }
  if (plan.healthCheck !== undefined) next.spec.healthCheckNodePort = plan.healthCheck
}
