import type { Service } from '../../../../api/core/v1.types.ts'
import { getKind } from '../../../../catalog/define.ts'
import type { ResourceAccess } from '../../../../catalog/resource-access.ts'
import type { Reservation } from '../../../../catalog/strategy.ts'
import { invariant } from '../../../../lib/invariant.ts'
import { invalid } from '../../../../meta/field-error.ts'
import { fieldPath } from '../../../../meta/field-path.ts'
import { internalServerError, invalidError, isStatusError } from '../../../../meta/status.ts'
import { ENDPOINTS, SERVICES } from '../../../kinds.ts'
import { goStringList } from '../../../shared/go-syntax.ts'
import { clusterIPsOf, familiesOf, isHeadless, needsClusterIP } from '../fields.ts'
import { keepsPreference } from '../ip-families.ts'
import type { ClusterIPs, ServiceRef } from './cluster-ips.ts'
import { AllocationError, serviceRef } from './cluster-ips.ts'
import type { NodePorts } from './node-ports.ts'
import { carryOut, needsPorts, planPorts, portsToFree } from './port-plan.ts'
import { allNodePortsOf } from './ports-in-use.ts'

/** Addresses of a service that are represented by IPAddresses. */
const heldIPs = (service: Service | undefined): string[] =>
  service && needsClusterIP(service) && !isHeadless(service) ? clusterIPsOf(service) : []

/** A create or update of a service. */
interface ServiceWrite {
  readonly next: Service
  readonly old: Service | undefined
  readonly api: ResourceAccess
  readonly owner: ServiceRef
  readonly dryRun: boolean
}

/**
 * Addresses, ports and endpoints of a service, which are stored outside of its own key. They are allocated before the
 * write, and released after it has succeeded or failed. If a process dies in between, allocations without a service
 * remain, which the repair releases; no service ever has an address or port that another one may get.
 */
export class ServiceReservations {
  readonly #ips: ClusterIPs
  readonly #ports: NodePorts

  constructor(ips: ClusterIPs, ports: NodePorts) {
    this.#ips = ips
    this.#ports = ports
  }

  /**
   * Allocates the addresses and ports of `next`, and writes them into it. If `next` is undefined, the service is being
   * deleted, and its endpoints are deleted with it.
   */
  async begin(next: Service | undefined, old: Service | undefined, api: ResourceAccess, dryRun: boolean): Promise<Reservation> {
    const subject = next ?? old
    invariant(subject, 'a write of no service')
    const freePorts = next ? portsToFree(next, old) : old ? allNodePortsOf(old) : []
    const takenIPs: string[] = []
    let takenPorts: readonly number[] = []
    const owner = serviceRef(subject)
    const rollback = async (): Promise<void> => {
      if (dryRun || takenIPs.length + takenPorts.length === 0 || (await this.#stands(api, owner, takenIPs, takenPorts))) return
      for (const ip of takenIPs) await leaveToRepair(this.#ips.free(api, ip, owner))
      await leaveToRepair(this.#ports.free(api, takenPorts))
    }
    if (next) {
      try {
        await this.#takeIPs({ next, old, api, owner, dryRun }, takenIPs)
        if (needsPorts(next, old)) {
          const plan = await this.#ports.reserve(api, dryRun, source => planPorts(next, old, source))
          takenPorts = plan.taken
          carryOut(plan, next)
        }
      } catch (error) {
        await rollback()
        throw error
      }
    }
    const kept = new Set(heldIPs(next))
    const freeIPs = heldIPs(old).filter(ip => !kept.has(ip))
    return {
      rollback,
      commit: async () => {
        if (dryRun) return
        if (!next) await leaveToRepair(api.delete(ENDPOINTS, owner.namespace, owner.name))
        for (const ip of freeIPs) await leaveToRepair(this.#ips.free(api, ip, owner))
        await leaveToRepair(this.#ports.free(api, freePorts))
      },
    }
  }

  /**
   * Reports whether the write took effect although it failed, which a lost connection to the store leaves open. Returns
   * true if that is unknown. Nothing may be released then.
   */
  async #stands(api: ResourceAccess, owner: ServiceRef, ips: readonly string[], ports: readonly number[]): Promise<boolean> {
    try {
      const service = await getKind(api, SERVICES, owner.namespace, owner.name)
      const held = new Set(allNodePortsOf(service))
      return heldIPs(service).some(ip => ips.includes(ip)) || ports.some(port => held.has(port))
    } catch (error) {
      return !isStatusError(error, 'NotFound')
    }
  }

  /** Appends each address to `taken` as soon as it is allocated, so that a failure releases the earlier ones. */
  async #takeIPs({ next, old, api, owner, dryRun }: ServiceWrite, taken: string[]): Promise<void> {
    if (!needsClusterIP(next) || isHeadless(next) || keepsPreference(next, old)) return
    const held = new Set(heldIPs(old))
    const ips = [...clusterIPsOf(next)]
    for (const [i, family] of familiesOf(next).entries()) {
      const wanted = ips[i] ?? ''
      if (wanted !== '' && held.has(wanted)) continue
      try {
        const ip = await this.#ips.take(api, family === 'IPv6' ? 'IPv6' : 'IPv4', wanted, owner, dryRun)
        ips[i] = ip
        taken.push(ip)
      } catch (error) {
        if (!(error instanceof AllocationError)) throw error
        if (wanted === '') throw internalServerError(`failed to allocate a serviceIP: ${error.message}`)
        throw invalidError({ group: '', kind: 'Service' }, owner.name, [
          invalid(fieldPath('spec', 'clusterIPs'), goStringList(clusterIPsOf(next)), `failed to allocate IP ${wanted}: ${error.message}`),
        ])
      }
    }
    const [first] = ips
    if (taken.length === 0 || first === undefined) return
    next.spec.clusterIPs = ips
    next.spec.clusterIP = first
  }
}

/**
 * Ignores errors of the cleanup after a write, which has succeeded anyway: the repair handles what is left. The
 * endpoints may be deleted already, or be in use by another server.
 */
async function leaveToRepair(work: Promise<void>): Promise<void> {
  try {
    await work
  } catch (error) {
    // Only Status errors are expected. Any other is a bug.
    if (!isStatusError(error)) throw error
  }
}
