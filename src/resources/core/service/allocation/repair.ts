import { listKind } from '../../../../catalog/define.ts'
import type { ResourceAccess } from '../../../../catalog/definition.ts'
import { isIPv6, parseIp, printIp } from '../../../../meta/ip.ts'
import { isStatusError } from '../../../../meta/status.ts'
import { IP_ADDRESSES, SERVICES } from '../../../kinds.ts'
import type { IPAddress } from '../../../networking/v1.types.ts'
import type { Service } from '../../v1.types.ts'
import { clusterIPsOf, isHeadless, needsClusterIP } from '../fields.ts'
import { ALLOCATOR_NAME, belongsTo, ipAddressObject, MANAGED_BY_LABEL, serviceRef } from './cluster-ips.ts'
import { NodePorts } from './node-ports.ts'
import type { PortRange } from './port-set.ts'
import { allNodePortsOf } from './ports-in-use.ts'

/** The ranges that are repaired. */
export interface RepairOptions {
  readonly nodePortRange: PortRange
  /** Milliseconds of a clock that nobody sets: times of other servers' clocks are not looked at. */
  readonly now: number
  /** How long a reservation may be without its service before it counts as left behind: longer than lies between a reservation and its write. */
  readonly graceMilliseconds: number
}

/** What one run hands to the next. */
export interface RepairState {
  /** Node ports without a service, with the time at which a run first found them so. */
  readonly orphanPorts: Map<number, number>
  /** The same of IPAddresses, by uid. */
  readonly orphanAddresses: Map<string, number>
}

/** Of the first run. An allocation without a service is released after a time of grace: its service may be about to be written. */
export const createRepairState = (): RepairState => ({ orphanPorts: new Map(), orphanAddresses: new Map() })

/** What a repair found and did. */
export interface RepairReport {
  readonly freedIPs: readonly string[]
  readonly restoredIPs: readonly string[]
  /** Addresses of a service for which the IPAddress says that another has them: nothing is done about it. */
  readonly conflictingIPs: readonly string[]
  readonly freedPorts: readonly number[]
  readonly restoredPorts: readonly number[]
}

/**
 * Makes IPAddresses and node ports agree with the services: frees what no service has, and takes again what one has. Services are the truth and are never changed.
 * For a loop in one server (every few minutes), and once at start.
 */
export async function repairAllocations(api: ResourceAccess, state: RepairState, options: RepairOptions): Promise<RepairReport> {
  const nodePorts = new NodePorts(options.nodePortRange, () => 0)
  // Reservations before services: one that has become a service between the two lists is seen as such.
  const addresses = await listKind(api, IP_ADDRESSES, '', { labelSelector: `${MANAGED_BY_LABEL}=${ALLOCATOR_NAME}` })
  const before = await nodePorts.current(api)
  const run: Run = { api, services: await listKind(api, SERVICES, ''), state, options }
  const ips = await repairIPs(run, addresses)
  return { ...ips, ...(await repairPorts(run, nodePorts, before)) }
}

/** One run of the repair, and the services that it holds everything to. */
interface Run {
  readonly api: ResourceAccess
  readonly services: readonly Service[]
  readonly state: RepairState
  readonly options: RepairOptions
}

/** Address → the service that has it. */
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

async function repairIPs(run: Run, addresses: readonly IPAddress[]): Promise<Pick<RepairReport, 'freedIPs' | 'restoredIPs' | 'conflictingIPs'>> {
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
      // It has come since the list was made, or the address is kept by hand.
      if (!isStatusError(error, 'AlreadyExists')) throw error
    }
  }
  return { freedIPs, restoredIPs, conflictingIPs }
}

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
    // Somebody has written since: a port that looked left behind may have been given out anew. The next run sees.
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
