import type { ConnectCall, Destination } from '../../../catalog/connect.ts'
import { getKind } from '../../../catalog/define.ts'
import { failure } from '../../../meta/status.ts'
import { NODES } from '../../kinds.ts'

/**
 * Returns the address of a node's kubelet: the first preferred address type that the node has, and the port that the
 * node reports or else the configured one. Throws 404 if the node does not exist, 500 if it has no usable address.
 */
export async function kubeletOf(
  { api, kubelets }: Pick<ConnectCall, 'api' | 'kubelets'>,
  nodeName: string,
): Promise<Destination & { scheme: 'https' }> {
  const node = await getKind(api, NODES, '', nodeName)
  const { status } = node
  const { addresses = [] } = status
  const found = kubelets.addressTypes.map(type => addresses.find(address => address.type === type)).find(address => address !== undefined)
  if (!found) {
    const known = addresses.map(({ type, address }) => `{${type} ${address}}`).join(' ')
    throw failure(500, '', `no preferred addresses found; known addresses: [${known}]`)
  }
  const open = await kubelets.simulated?.(node)
  const reported = status.daemonEndpoints.kubeletEndpoint.Port
  const port = String(reported > 0 ? reported : kubelets.port)
  return { scheme: 'https', host: found.address, port, path: '', query: '', trust: 'kubelet', ...(open && { open }) }
}

/** Encodes a query such as `a=1&b=x+y`, sorted by name like Go's url.Values. */
export function encodeQuery(values: readonly (readonly [name: string, value: string])[]): string {
  const goEscape = (text: string): string =>
    encodeURIComponent(text).replace(/[!'()*]/g, char => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
  return [...values]
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([name, value]) => `${goEscape(name)}=${goEscape(value).replaceAll('%20', '+')}`)
    .join('&')
}
