import { isSince, type Release } from '../../../lifecycle/release.ts'
import type { IPFamily, Service, ServicePort, ServiceType } from '../v1.types.ts'

/** What the fields of a Service mean together. Objects are defaulted. */

/** In place of an address: the service has none, and DNS answers with those of its pods. */
export const HEADLESS = 'None'

/** Empty only before defaults: afterwards a service has a type. */
export const typeOf = (service: Service): ServiceType | '' => service.spec.type ?? ''
export const portsOf = (service: Service): ServicePort[] => service.spec.ports ?? []
export const clusterIPsOf = (service: Service): string[] => service.spec.clusterIPs ?? []
export const familiesOf = (service: Service): IPFamily[] => service.spec.ipFamilies ?? []

/** Every type but ExternalName has a cluster IP, be it `None`. */
export const needsClusterIP = (service: Service): boolean => typeOf(service) !== 'ExternalName'
/** Whether a port of every node belongs to the service. */
export const needsNodePort = (service: Service): boolean => typeOf(service) === 'NodePort' || typeOf(service) === 'LoadBalancer'
/** Whether a load balancer asks nodes if they have a local endpoint. */
export const needsHealthCheck = (service: Service): boolean => typeOf(service) === 'LoadBalancer' && service.spec.externalTrafficPolicy === 'Local'

/** Whether requests come from outside of the cluster, so that the external traffic policy means something. Before 1.29 external addresses alone did not count. */
export const isExternallyAccessible = (service: Service, release: Release): boolean =>
  needsNodePort(service) || (isSince(release, '1.29') && typeOf(service) === 'ClusterIP' && (service.spec.externalIPs ?? []).length > 0)

/** It asks for no address: its name leads to those of its pods. */
export const isHeadless = (service: Service): boolean => clusterIPsOf(service).length === 1 && clusterIPsOf(service)[0] === HEADLESS
/** Without one, somebody else makes its endpoints. */
export const hasSelector = (service: Service): boolean => Object.keys(service.spec.selector ?? {}).length > 0

/** Node ports of the ports, without that of the health check. 0 counts as none. */
export const nodePortsOf = (service: Service): number[] => portsOf(service).flatMap(({ nodePort }) => (nodePort ? [nodePort] : []))

/** The same members in the same order. */
export const sameList = (a: readonly string[], b: readonly string[]): boolean => a.length === b.length && a.every((item, i) => item === b[i])
