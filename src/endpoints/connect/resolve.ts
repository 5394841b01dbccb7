import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { Destination } from '../../catalog/connect.ts'
import { isGlobalUnicast, parseIp } from '../../meta/ip.ts'
import { badRequestError } from '../../meta/status.ts'

/**
 * Resolves the name of a destination that users can choose. Undefined if it is an address or a kubelet. The connection
 * must use one of the returned addresses, because another lookup could return different ones. Throws 400 if any of them
 * is a loopback or link-local address.
 */
export async function resolveHost({ host, trust }: Destination): Promise<readonly LookupAddress[] | undefined> {
  if (trust !== 'anything' || isIP(host) !== 0) return undefined
  const addresses = await lookup(host, { all: true }).catch(() => {
    throw badRequestError(`lookup ${host}: no such host`)
  })
  for (const { address } of addresses) {
    const ip = parseIp(address)
    if (!ip || !isGlobalUnicast(ip)) throw badRequestError('address not allowed')
  }
  return addresses
}
