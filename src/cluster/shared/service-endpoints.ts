import type { Pod, Service, ServicePort } from '../../api/core/v1.types.ts'
import { matchesLabels } from '../../meta/label-selector.ts'
import { isPodTerminal, isPodTerminating, isSidecar } from './pods.ts'
import { isEmptyMap, selectorOfMap } from './selectors.ts'

/** Rules that Endpoints and EndpointSlices share. They correspond to upstream's k8s.io/endpointslice/util. */

/** Annotation with the time of the change that led to the latest write of endpoints. */
export const LAST_CHANGE = 'endpoints.kubernetes.io/last-change-trigger-time'
/** Annotation of Endpoints that are the lock of a leader election. */
export const LEADER = 'control-plane.alpha.kubernetes.io/leader'
/** Label of the endpoints of services without a cluster address. */
export const HEADLESS = 'service.kubernetes.io/headless'

/** Whether a service has an address of its own. A headless service has none. */
export const hasClusterIP = ({ spec: { clusterIP = '' } }: Service): boolean => clusterIP !== '' && clusterIP !== 'None'

/** Whether the endpoints of a service are those of the pods that it selects. */
export const hasManagedEndpoints = (service: Service): boolean => service.spec.type !== 'ExternalName' && hasSelector(service)

/** Whether a service selects pods. An empty selector selects none. */
export const hasSelector = ({ spec: { selector } }: Service): boolean => !isEmptyMap(selector)

/** Whether a service selects pods with these labels. */
export function selectsLabels({ spec: { selector } }: Service, labels: Readonly<Record<string, string>> = {}): boolean {
  return !isEmptyMap(selector) && matchesLabels(selectorOfMap(selector), labels)
}

/** Whether a pod can be an endpoint: it has an address and has not ended. */
export const mayBeEndpoint = (pod: Pod, includesTerminating: boolean): boolean =>
  !isPodTerminal(pod) &&
  ((pod.status.podIP ?? '') !== '' || (pod.status.podIPs ?? []).length > 0) &&
  (includesTerminating || !isPodTerminating(pod))

/** Returns the host name of a pod in its headless service. Undefined if its subdomain is not the service. */
export function endpointHostname({ metadata, spec: { hostname = '', subdomain } }: Pod, service: Service): string | undefined {
  const isOfService = subdomain === service.metadata.name && metadata.namespace === service.metadata.namespace
  return hostname !== '' && isOfService ? hostname : undefined
}

/**
 * Returns the port of a pod to which a port of a service leads. Undefined if no container or sidecar has the named
 * port.
 */
export function targetPort({ spec }: Pod, { targetPort: target, protocol }: ServicePort): number | undefined {
  if (typeof target === 'number') return target
  const known = namedPorts.get(spec)
  if (known) return known.get(`${protocol} ${target}`)
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? []).filter(isSidecar)]
  const ports = containers.flatMap(({ ports = [] }) => ports)
  if (ports.length <= FEW_PORTS) return ports.find(port => port.name === target && port.protocol === protocol)?.containerPort
  const byName = new Map<string, number>()
  for (const port of ports) {
    const key = `${port.protocol} ${port.name ?? ''}`
    if (!byName.has(key)) byName.set(key, port.containerPort)
  }
  namedPorts.set(spec, byName)
  return byName.get(`${protocol} ${target}`)
}

/** Number of ports of a pod that are searched for each port of a service. */
const FEW_PORTS = 16
/** Ports of pods with more, by protocol and name. */
const namedPorts = new WeakMap<Pod['spec'], ReadonlyMap<string, number>>()
