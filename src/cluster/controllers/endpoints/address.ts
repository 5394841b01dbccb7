import type { EndpointAddress, Pod, Service } from '../../../api/core/v1.types.ts'
import { isIPv6, parseIp, printIp } from '../../../meta/ip.ts'
import { endpointHostname } from '../../shared/service-endpoints.ts'

/** Whether the Endpoints of a service have IPv6 addresses: they have those of its first family alone. */
function isForIPv6({ spec: { ipFamilies = [], clusterIP = '' } }: Service, { status: { podIP = '' } }: Pod): boolean {
  if (ipFamilies.length > 0) return ipFamilies[0] === 'IPv6'
  return isIPv6(clusterIP === '' || clusterIP === 'None' ? podIP : clusterIP)
}

/** Returns the address of a pod in the family of the service. Undefined if the pod has none. */
export function podAddress(service: Service, pod: Pod): string | undefined {
  const length = isForIPv6(service, pod) ? 16 : 4
  for (const { ip = '' } of pod.status.podIPs ?? []) {
    const parsed = parseIp(ip)
    if (parsed?.length === length) return printIp(parsed)
  }
  return undefined
}

/** Returns the address of a pod as Endpoints have it. Undefined if the pod has none in the family of the service. */
export function endpointAddress(service: Service, pod: Pod): EndpointAddress | undefined {
  const ip = podAddress(service, pod)
  if (ip === undefined) return undefined
  const { namespace = '', name = '', uid = '' } = pod.metadata
  const hostname = endpointHostname(pod, service)
  return {
    ip,
    ...(hostname !== undefined && { hostname }),
    ...(pod.spec.nodeName && { nodeName: pod.spec.nodeName }),
    targetRef: { kind: 'Pod', namespace, name, uid },
  }
}
