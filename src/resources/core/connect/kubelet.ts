import type { ConnectCall, Destination } from '../../../catalog/connect.ts'
import { getKind } from '../../../catalog/define.ts'
import { failure } from '../../../meta/status.ts'
import { NODES } from '../../kinds.ts'

/**
 * The kubelet of a node: its address of the type most preferred, and the port that the node reports, else the configured one. Throws 404 without the node, 500
 * without an address.
 */
export async function kubeletOf({ api, kubelets }: Pick<ConnectCall, 'api' | 'kubelets'>, nodeName: string): Promise<Destination & { scheme: 'https' }> {
  const { status } = await getKind(api, NODES, '', nodeName)
  const { addresses = [] } = status
  const found = kubelets.addressTypes.map(type => addresses.find(address => address.type === type)).find(address => address !== undefined)
  if (!found) {
    const known = addresses.map(({ type, address }) => `{${type} ${address}}`).join(' ')
    throw failure(500, '', `no preferred addresses found; known addresses: [${known}]`)
  }
  const reported = status.daemonEndpoints.kubeletEndpoint.Port
  return { scheme: 'https', host: found.address, port: String(reported > 0 ? reported : kubelets.port), path: '', query: '', trust: 'kubelet' }
}

/** `a=1&b=x+y` of names and values, sorted by name as Go's url.Values. */
export function encodeQuery(values: readonly (readonly [name: string, value: string])[]): string {
  const goEscape = (text: string): string => encodeURIComponent(text).replace(/[!'()*]/g, char => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
  return [...values]
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([name, value]) => `${goEscape(name)}=${goEscape(value).replaceAll('%20', '+')}`)
    .join('&')
}
