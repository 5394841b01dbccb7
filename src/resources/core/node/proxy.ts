import type { Node } from '../../../api/core/v1.types.ts'
import type { ConnectCall, Destination } from '../../../catalog/connect.ts'
import type { Subresource } from '../../../catalog/definition.ts'
import { types } from '../../../catalog/types.ts'
import { parseIp } from '../../../meta/ip.ts'
import { kubeletOf } from '../connect/kubelet.ts'
import { checkProxyAddress, PROXY_METHODS, PROXY_VERBS, proxyDestination, proxyTarget } from '../connect/proxy-target.ts'

const schema = types.type('core.NodeProxyOptions')

/** Returns the address of the node's kubelet, or of the given port on the node. */
async function locateNode({ api, kubelets, name: id, options }: ConnectCall): Promise<Destination> {
  const { scheme, name, port } = proxyTarget('node', id)
  const kubelet = await kubeletOf({ api, kubelets }, name)
  const path = String(options.path ?? '')
  if (port === '' || port === kubelet.port) return { ...kubelet, path }
  // Only literal addresses are checked here. A host name is checked after it has been resolved.
  if (parseIp(kubelet.host)) checkProxyAddress(kubelet.host)
  return proxyDestination(scheme, kubelet.host, port, path)
}

/** Proxies HTTP requests to a node. */
export const nodeProxySubresource: Subresource<Node> = {
  verbs: PROXY_VERBS,
  kind: { group: '', version: 'v1', kind: 'NodeProxyOptions', schema },
  connect: { how: 'proxy', methods: PROXY_METHODS, options: schema, subpath: true, locate: locateNode },
}
