import type { Node, Pod, Service } from '../../../api/core/v1.types.ts'
import type { Endpoint, EndpointConditions, EndpointPort } from '../../../api/discovery/v1.types.ts'
import { isStepDone, type Steps } from '../../../lib/steps.ts'
import { isIPv6, parseIp, printIp } from '../../../meta/ip.ts'
import { ZONE } from '../../shared/nodes.ts'
import { isPodReady, isPodTerminating } from '../../shared/pods.ts'
import { endpointHostname, targetPort } from '../../shared/service-endpoints.ts'

/** A type of address that slices of services have. */
export type ServiceAddressType = 'IPv4' | 'IPv6'

/** Returns the address types of the slices of a service. Corresponds to upstream's getAddressTypesForService. */
export function addressTypesOf({ spec: { ipFamilies = [], clusterIP = '' } }: Service): readonly ServiceAddressType[] {
  const types = ipFamilies.filter((family): family is ServiceAddressType => family === 'IPv4' || family === 'IPv6')
  if (types.length > 0) return types
  if (clusterIP !== '' && clusterIP !== 'None') return [isIPv6(clusterIP) ? 'IPv6' : 'IPv4']
  return ['IPv4', 'IPv6']
}

/** Returns the ports of the slices that have a pod. Named ports that the pod lacks are left out. */
export function* endpointPorts({ spec: { ports = [] } }: Service, pod: Pod): Steps<EndpointPort[]> {
  const found: EndpointPort[] = []
  for (const servicePort of ports) {
    if (isStepDone()) yield
    const port = targetPort(pod, servicePort)
    if (port === undefined) continue
    const { name = '', protocol = 'TCP', appProtocol } = servicePort
    found.push({ name, port, protocol, ...(appProtocol !== undefined && { appProtocol }) })
  }
  return found
}

/** Whether all pods of a service have the same ports, because it names none of theirs. */
export const hasFixedPorts = ({ spec: { ports = [] } }: Service): boolean =>
  ports.every(({ targetPort: target }) => typeof target === 'number')

/**
 * Returns the conditions of the endpoint of a pod. A pod that is being deleted is not ready, unless the service
 * publishes such addresses.
 */
export function endpointConditions(pod: Pod, { spec: { publishNotReadyAddresses = false } }: Service): Required<EndpointConditions> {
  const [serving, terminating] = [isPodReady(pod), isPodTerminating(pod)]
  return { ready: publishNotReadyAddresses || (serving && !terminating), serving, terminating }
}

/**
 * Returns the endpoint of a pod. Undefined if the pod has no address of the type.
 * @param node node of the pod. Undefined if it does not exist.
 */
export function endpointOf(pod: Pod, node: Node | undefined, service: Service, type: ServiceAddressType): Endpoint | undefined {
  const addresses = (pod.status.podIPs ?? []).flatMap(({ ip = '' }) => {
    const parsed = parseIp(ip)
    return parsed && (parsed.length === 4) === (type === 'IPv4') ? [printIp(parsed)] : []
  })
  if (addresses.length === 0) return undefined
  const { namespace = '', name = '', uid = '' } = pod.metadata
  const { nodeName = '' } = pod.spec
  const zone = node?.metadata.labels?.[ZONE] ?? ''
  const hostname = endpointHostname(pod, service)
  return {
    addresses,
    conditions: endpointConditions(pod, service),
    ...(hostname !== undefined && { hostname }),
    targetRef: { kind: 'Pod', namespace, name, uid },
    ...(nodeName !== '' && { nodeName }),
    ...(zone !== '' && { zone }),
  }
}
