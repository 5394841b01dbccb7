import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { Destination } from '../../catalog/connect.ts'
import { isGlobalUnicast, parseIp } from '../../meta/ip.ts'
import { badRequestError } from '../../meta/status.ts'

/**
 * The addresses that a name stands for, for destinations that anybody may have named; undefined where it is an address already, or a kubelet. The connection must go to one of
 * these: another lookup could tell others. Throws 400 where one of them is this machine itself, or of its link.
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
