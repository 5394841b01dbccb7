import type { Pod, PodSpec, PodStatus } from '../../../api/core/v1.types.ts'
import type { ConnectCall, Destination } from '../../../catalog/connect.ts'
import { getKind } from '../../../catalog/define.ts'
import type { Subresource } from '../../../catalog/definition.ts'
import { types } from '../../../catalog/types.ts'
import { PODS } from '../../kinds.ts'
import { checkProxyAddress, PROXY_METHODS, PROXY_VERBS, proxyDestination, proxyTarget } from '../connect/proxy-target.ts'

const schema = types.type('core.PodProxyOptions')

/** Returns the IP address of a pod and the first port that a container declares. Each is empty if it is not known. */
function podAddress(spec: PodSpec, status: PodStatus): { ip: string; declaredPort: string } {
  const port = (spec.containers ?? []).flatMap(({ ports = [] }) => ports)[0]
  return { ip: status.podIPs?.[0]?.ip ?? status.podIP ?? '', declaredPort: port ? String(port.containerPort) : '' }
}

/** Returns the pod's address with the port of the request, or else the first port that a container declares. */
async function locatePod({ api, name: id, namespace, options }: ConnectCall): Promise<Destination> {
  const { scheme, name, port } = proxyTarget('pod', id)
  const pod = await getKind(api, PODS, namespace, name)
  const { ip, declaredPort } = podAddress(pod.spec, pod.status)
  checkProxyAddress(ip)
  return proxyDestination(scheme, ip, port === '' ? declaredPort : port, String(options.path ?? ''))
}

/** Proxies HTTP requests to a pod. */
export const podProxySubresource: Subresource<Pod> = {
  verbs: PROXY_VERBS,
  kind: { group: '', version: 'v1', kind: 'PodProxyOptions', schema },
  connect: { how: 'proxy', methods: PROXY_METHODS, options: schema, subpath: true, locate: locatePod },
}
