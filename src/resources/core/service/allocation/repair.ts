import type { Service } from '../../../../api/core/v1.types.ts'
import type { IPAddress } from '../../../../api/networking/v1.types.ts'
import { listKind } from '../../../../catalog/define.ts'
import type { ResourceAccess } from '../../../../catalog/resource-access.ts'
import { isIPv6, parseIp, printIp } from '../../../../meta/ip.ts'
import { isStatusError } from '../../../../meta/status.ts'
import { IP_ADDRESSES, SERVICES } from '../../../kinds.ts'
import { clusterIPsOf, isHeadless, needsClusterIP } from '../fields.ts'
import { ALLOCATOR_NAME, belongsTo, ipAddressObject, MANAGED_BY_LABEL, serviceRef } from './cluster-ips.ts'
import { NodePorts } from './node-ports.ts'
import type { PortRange } from './port-set.ts'
import { allNodePortsOf } from './ports-in-use.ts'

/** Options of a repair. */
export interface RepairOptions {
  /** Configured range. Ports outside of it are not tracked. */
  readonly nodePortRange: PortRange
  /** Time of a monotonic clock in milliseconds. Timestamps of other servers are not used. */
  readonly now: number
  /**
   * Time for which a reservation may exist without its service. It must exceed the time between a reservation and the
   * write of its service.
   */
  readonly graceMilliseconds: number
}

/** State that one run passes to the next. */
export interface RepairState {
  /** Node ports without a service, and the time of the run that first found them. */
  readonly orphanPorts: Map<number, number>
  /** IPAddresses without a service, by UID, and the time of the run that first found them. */
  readonly orphanAddresses: Map<string, number>
}

/**
 * Creates the state for the first run. An allocation without a service is released after a grace period, because its
 * service may be about to be written.
 */
export const createRepairState = (): RepairState => ({ orphanPorts: new Map(), orphanAddresses: new Map() })

/** Result of a repair. */
export interface RepairReport {
  /** Names of deleted IPAddresses. */
  readonly freedIPs: readonly string[]
  /** Names of created IPAddresses. */
  readonly restoredIPs: readonly string[]
  /** Addresses of a service that, according to their IPAddress, belong to another one. They are only reported. */
  readonly conflictingIPs: readonly string[]
  /** Node ports that were removed from the bitmap. */
  readonly freedPorts: readonly number[]
  /** Node ports that were added to the bitmap. */
  readonly restoredPorts: readonly number[]
}

/**
 * Reconciles IPAddresses and node ports with the services: releases those that no service has, and restores missing
 * ones. Services are authoritative and never changed. One server runs it at start and every few minutes.
 */
export async function repairAllocations(api: ResourceAccess, state: RepairState, options: RepairOptions): Promise<RepairReport> {
  const nodePorts = new NodePorts(options.nodePortRange, () => 0)
  // Reservations are listed before services, so that one that becomes a service in between is recognized.
  const addresses = await listKind(api, IP_ADDRESSES, '', { labelSelector: `${MANAGED_BY_LABEL}=${ALLOCATOR_NAME}` })
  const before = await nodePorts.current(api)
  const run: Run = { api, services: await listKind(api, SERVICES, ''), state, options }
  const ips = await repairIPs(run, addresses)
  return { ...ips, ...(await repairPorts(run, nodePorts, before)) }
}

/** A run of the repair, with the services to compare with. */
interface Run {
  readonly api: ResourceAccess
  /** All services, listed after the reservations. */
  readonly services: readonly Service[]
  readonly state: RepairState
  readonly options: RepairOptions
}

/** Returns the service of each address. */
function ownersOf(services: readonly Service[]): Map<string, Service> {
  const owners = new Map<string, Service>()
  for (const service of services) {
    if (!needsClusterIP(service) || isHeadless(service)) continue
    for (const ip of clusterIPsOf(service)) {
      const parsed = parseIp(ip)
      if (parsed) owners.set(printIp(parsed), service)
    }
  }
  return owners
}

/**
 * An address without a service is freed only when it has been seen so for the grace period: its service may be about to
 * be written.
 */
async function repairIPs(
  run: Run,
  addresses: readonly IPAddress[],
): Promise<Pick<RepairReport, 'freedIPs' | 'restoredIPs' | 'conflictingIPs'>> {
  const { api, state, options } = run
  const { orphanAddresses } = state
  const { now, graceMilliseconds } = options
  const owners = ownersOf(run.services)
  const present = new Set(addresses.map(({ metadata }) => metadata.uid))
  for (const uid of orphanAddresses.keys()) if (!present.has(uid)) orphanAddresses.delete(uid)
  const freedIPs: string[] = []
  const conflictingIPs: string[] = []
  for (const address of addresses) {
    const { name = '', uid = '' } = address.metadata
    const owner = owners.get(name)
    owners.delete(name)
    if (owner) {
      orphanAddresses.delete(uid)
      if (!belongsTo(address, serviceRef(owner))) conflictingIPs.push(name)
      continue
    }
    if (!orphanAddresses.has(uid)) orphanAddresses.set(uid, now)
    if (now - (orphanAddresses.get(uid) ?? now) < graceMilliseconds) continue
    try {
      await api.delete(IP_ADDRESSES, '', name, uid === '' ? {} : { uid })
      freedIPs.push(name)
    } catch (error) {
      if (!isStatusError(error, 'NotFound') && !isStatusError(error, 'Conflict')) throw error
    }
  }
  const restoredIPs: string[] = []
  for (const [name, service] of owners) {
    try {
      await api.create(IP_ADDRESSES, '', ipAddressObject(name, isIPv6(name) ? 'IPv6' : 'IPv4', serviceRef(service)))
      restoredIPs.push(name)
    } catch (error) {
      // The IPAddress was created after the list, or is managed by another client.
      if (!isStatusError(error, 'AlreadyExists')) throw error
    }
  }
  return { freedIPs, restoredIPs, conflictingIPs }
}

/**
 * Releases ports that no service has had for the grace period, and adds those that services have. Without a difference
 * nothing is written.
 */
async function repairPorts(
  { api, services, state: { orphanPorts }, options: { now, graceMilliseconds } }: Run,
  nodePorts: NodePorts,
  before: Awaited<ReturnType<NodePorts['current']>>,
): Promise<Pick<RepairReport, 'freedPorts' | 'restoredPorts'>> {
  const used = new Set(services.flatMap(allNodePortsOf))
  for (const port of orphanPorts.keys()) if (used.has(port) || !before.ports.has(port)) orphanPorts.delete(port)
  const orphans: number[] = []
  for (const port of before.ports.ports()) {
    if (used.has(port)) continue
    if (!orphanPorts.has(port)) orphanPorts.set(port, now)
    if (now - (orphanPorts.get(port) ?? now) >= graceMilliseconds) orphans.push(port)
  }
  const missing = [...used].filter(port => !before.ports.has(port))
  if (orphans.length === 0 && missing.length === 0) return { freedPorts: [], restoredPorts: [] }

  let freedPorts: number[] = []
  let restoredPorts: number[] = []
  await nodePorts.change(api, (ports, object) => {
    // If the object has changed since, a port that seemed orphaned may have been allocated again. It is left to the
    // next run.
    const unchanged = object.metadata.resourceVersion === before.resourceVersion
    freedPorts = unchanged ? orphans.filter(port => ports.has(port)) : []
    for (const port of freedPorts) ports.remove(port)
    restoredPorts = missing.filter(port => !ports.has(port))
    for (const port of restoredPorts) ports.add(port)
    restoredPorts = restoredPorts.filter(port => ports.has(port))
    return freedPorts.length + restoredPorts.length > 0
  })
  for (const port of freedPorts) orphanPorts.delete(port)
  return { freedPorts, restoredPorts }
}
