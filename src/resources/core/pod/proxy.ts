import type { ConnectCall, Destination } from '../../../catalog/connect.ts'
import type { Subresource } from '../../../catalog/definition.ts'
import { types } from '../../types.ts'
import type { ApiStruct } from '../checks.ts'
import { checkProxyAddress, PROXY_METHODS, PROXY_VERBS, proxyDestination, proxyTarget } from '../connect/proxy-target.ts'

const schema = types.type('core.PodProxyOptions')

/** The pod's address, and the port that the request names or the first that a container declares. */
async function locate({ api, name: id, namespace, options }: ConnectCall): Promise<Destination> {
  const { scheme, name, port } = proxyTarget('pod', id)
  const { spec, status } = await api.get({ group: '', resource: 'pods' }, namespace, name)
  const ip: string = status?.podIPs?.[0]?.ip ?? status?.podIP ?? ''
  const declared: ApiStruct | undefined = (spec.containers as ApiStruct[]).find(({ ports }) => ports?.length > 0)?.ports[0]
  checkProxyAddress(ip)
  return proxyDestination(scheme, ip, port === '' ? String(declared?.containerPort ?? '') : port, String(options.path ?? ''))
}

/** HTTP to a pod. */
export const podProxySubresource: Subresource = {
  verbs: PROXY_VERBS,
  kind: { group: '', version: 'v1', kind: 'PodProxyOptions', schema },
  connect: { how: 'proxy', methods: PROXY_METHODS, options: schema, subpath: true, locate },
}
