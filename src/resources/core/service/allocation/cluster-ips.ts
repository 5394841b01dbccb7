import type { Service } from '../../../../api/core/v1.types.ts'
import type { IPAddress, ServiceCIDR } from '../../../../api/networking/v1.types.ts'
import { getKind, listKind } from '../../../../catalog/define.ts'
import type { ResourceAccess } from '../../../../catalog/resource-access.ts'
import { eachInSlices } from '../../../../lib/slices.ts'
import { startInTurns } from '../../../../lib/steps.ts'
import { addressNumber, parseIp, printIp } from '../../../../meta/ip.ts'
import { isStatusError } from '../../../../meta/status.ts'
import { IP_ADDRESSES, SERVICE_CIDRS } from '../../../kinds.ts'
import type { AddressFamily } from '../ip-families.ts'
import type { IPRange } from './ip-range.ts'
import { ipRange, printAddress, untakenAddress } from './ip-range.ts'

const FAMILY_LABEL = 'ipaddress.kubernetes.io/ip-family'
/** Label of the IPAddress objects that this allocator creates. */
export const MANAGED_BY_LABEL = 'ipaddress.kubernetes.io/managed-by'
export const ALLOCATOR_NAME = 'ipallocator.k8s.io'

/** Name of the ServiceCIDR that represents `--service-cluster-ip-range`. */
export const DEFAULT_SERVICE_CIDR = 'kubernetes'

/** Reason why an address or port was not allocated. The message becomes part of a field error or of a 500. */
export class AllocationError extends Error {
  override readonly name = 'AllocationError'
}

/** The service that owns an address. */
export interface ServiceRef {
  readonly namespace: string
  readonly name: string
}

/** Returns the reference that an IPAddress has to its service. */
export const serviceRef = (service: Service): ServiceRef => ({
  namespace: service.metadata.namespace ?? '',
  name: service.metadata.name ?? '',
})

/**
 * Creates the IPAddress that reserves an address. Its name is the address, so only one of two concurrent creates
 * succeeds.
 */
export const ipAddressObject = (name: string, family: AddressFamily, { namespace, name: service }: ServiceRef): IPAddress => ({
  kind: 'IPAddress',
  apiVersion: 'networking.k8s.io/v1',
  metadata: { name, labels: { [FAMILY_LABEL]: family, [MANAGED_BY_LABEL]: ALLOCATOR_NAME } },
  spec: { parentRef: { resource: 'services', namespace, name: service } },
})

/** Reports whether the IPAddress refers to this service. */
export const belongsTo = ({ spec }: IPAddress, { namespace, name }: ServiceRef): boolean => {
  const parent = spec.parentRef
  return (parent?.group ?? '') === '' && parent?.resource === 'services' && parent.namespace === namespace && parent.name === name
}

/**
 * Reports whether addresses of a ServiceCIDR may be allocated. One without the Ready condition counts as ready, since
 * its controller may not be running.
 */
function isReady(cidr: ServiceCIDR): boolean {
  if (cidr.metadata.deletionTimestamp) return false
  const ready = cidr.status.conditions?.find(({ type }) => type === 'Ready')
  return ready === undefined || ready.status === 'True'
}

/**
 * Allocates and releases cluster IPs. An address belongs to the service for which its IPAddress was created, across all
 * servers.
 */
export class ClusterIPs {
  readonly #configured: readonly string[]
  readonly #random: () => number

  /**
   * `configured` lists the ranges to use until the ServiceCIDR that represents them exists. `random` returns a number
   * in [0, 1).
   */
  constructor(configured: readonly string[], random: () => number) {
    this.#configured = configured
    this.#random = random
  }

  async #ranges(api: ResourceAccess, family: AddressFamily): Promise<IPRange[]> {
    const items = await listKind(api, SERVICE_CIDRS, '', { resourceVersion: '0' })
    const texts = items.filter(isReady).flatMap(({ spec }) => spec.cidrs ?? [])
    if (!items.some(({ metadata }) => metadata.name === DEFAULT_SERVICE_CIDR)) texts.push(...this.#configured)
    return [...new Set(texts)].map(ipRange).filter(range => range.family === family)
  }

  /**
   * Allocates `wanted`, or any free address if it is empty. A dry run allocates nothing, and returns the network
   * address of the range as a placeholder.
   */
  async take(api: ResourceAccess, family: AddressFamily, wanted: string, owner: ServiceRef, dryRun: boolean): Promise<string> {
    const ranges = await this.#ranges(api, family)
    if (wanted === '') return dryRun ? this.#pretend(ranges) : this.#takeAny(api, ranges, owner)
    const ip = parseIp(wanted)
    const n = ip && addressNumber(ip)
    const range = n === undefined ? undefined : ranges.find(({ network, end }) => n >= network && n <= end)
    if (!ip || n === undefined || !range) throw new AllocationError('the provided network does not match the current range')
    const name = printIp(ip)
    if (n < range.first || n > range.last) {
      throw new AllocationError(`the provided IP (${name}) is not in the valid range. The range of valid IPs is ${range.cidr}`)
    }
    if (!dryRun && !(await create(api, name, family, owner))) throw new AllocationError('provided IP is already allocated')
    return wanted
  }

  #pretend([range]: readonly IPRange[]): string {
    if (!range) throw new AllocationError('range is full')
    return printAddress(range.network, range.family)
  }

  async #takeAny(api: ResourceAccess, ranges: readonly IPRange[], owner: ServiceRef): Promise<string> {
    for (const range of ranges) {
      const got =
        (await this.#takeFrom(api, range, range.dynamic, range.last, owner)) ??
        (await this.#takeFrom(api, range, range.first, range.dynamic - 1n, owner))
      if (got !== undefined) return got
    }
    throw new AllocationError('range is full')
  }

  /** Tries two random addresses, which nearly always succeeds, then lists the allocated ones and skips them. */
  async #takeFrom(api: ResourceAccess, { family }: IPRange, from: bigint, to: bigint, owner: ServiceRef): Promise<string | undefined> {
    const taken = new Set<string>()
    for (let tries = 1; ; tries++) {
      const name = await startInTurns(untakenAddress(family, [from, to], taken, this.#random))
      if (name === undefined || (await create(api, name, family, owner))) return name
      taken.add(name)
      if (tries === 2)
        await eachInSlices(await listKind(api, IP_ADDRESSES, ''), ({ metadata }) => {
          taken.add(metadata.name ?? '')
        })
    }
  }

  /** Releases an address if it belongs to the service. An address that is already free is no error. */
  async free(api: ResourceAccess, ip: string, owner: ServiceRef): Promise<void> {
    const parsed = parseIp(ip)
    if (!parsed) return
    const name = printIp(parsed)
    try {
      const address = await getKind(api, IP_ADDRESSES, '', name)
      if (!belongsTo(address, owner)) return
      await api.delete(IP_ADDRESSES, '', name, address.metadata.uid === undefined ? {} : { uid: address.metadata.uid })
    } catch (error) {
      if (!isStatusError(error, 'NotFound') && !isStatusError(error, 'Conflict')) throw error
    }
  }
}

/** Returns false if the address is already allocated. */
async function create(api: ResourceAccess, name: string, family: AddressFamily, owner: ServiceRef): Promise<boolean> {
  try {
    await api.create(IP_ADDRESSES, '', ipAddressObject(name, family, owner))
    return true
  } catch (error) {
    if (isStatusError(error, 'AlreadyExists')) return false
    throw error
  }
}
