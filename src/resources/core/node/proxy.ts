import type { ConnectCall, Destination } from '../../../catalog/connect.ts'
import type { Subresource } from '../../../catalog/definition.ts'
import { parseIp } from '../../../meta/ip.ts'
import { types } from '../../types.ts'
import { kubeletOf } from '../connect/kubelet.ts'
import { checkProxyAddress, PROXY_METHODS, PROXY_VERBS, proxyDestination, proxyTarget } from '../connect/proxy-target.ts'
import type { Node } from '../v1.types.ts'

const schema = types.type('core.NodeProxyOptions')

/** The node's kubelet; with another port, whatever listens there. */
async function locate({ api, kubelets, name: id, options }: ConnectCall): Promise<Destination> {
  const { scheme, name, port } = proxyTarget('node', id)
  const kubelet = await kubeletOf({ api, kubelets }, name)
  const path = String(options.path ?? '')
  if (port === '' || port === kubelet.port) return { ...kubelet, path }
  // A name may stand for any address: what it resolves to is known to who resolves it.
  if (parseIp(kubelet.host)) checkProxyAddress(kubelet.host)
  return proxyDestination(scheme, kubelet.host, port, path)
}

/** HTTP to a node. */
export const nodeProxySubresource: Subresource<Node> = {
  verbs: PROXY_VERBS,
  kind: { group: '', version: 'v1', kind: 'NodeProxyOptions', schema },
  connect: { how: 'proxy', methods: PROXY_METHODS, options: schema, subpath: true, locate },
}
