import type { IPFamily, Service, ServicePort, ServiceType } from '../../../api/core/v1.types.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'

/** Properties that follow from several fields of a Service. Objects must have their defaults. */

/** clusterIP of a headless service, for which DNS returns the addresses of its pods. */
export const HEADLESS = 'None'

/** Returns the type, which is empty only before defaulting. */
export const serviceTypeOf = (service: Service): ServiceType | '' => service.spec.type ?? ''
export const portsOf = (service: Service): ServicePort[] => service.spec.ports ?? []
export const clusterIPsOf = (service: Service): string[] => service.spec.clusterIPs ?? []
export const familiesOf = (service: Service): IPFamily[] => service.spec.ipFamilies ?? []

/** Reports whether the service has clusterIPs, possibly `None`. Every type but ExternalName does. */
export const needsClusterIP = (service: Service): boolean => serviceTypeOf(service) !== 'ExternalName'
/** Reports whether the service has node ports. */
export const needsNodePort = (service: Service): boolean =>
  serviceTypeOf(service) === 'NodePort' || serviceTypeOf(service) === 'LoadBalancer'
/** Reports whether a load balancer checks nodes for local endpoints. */
export const needsHealthCheck = (service: Service): boolean =>
  serviceTypeOf(service) === 'LoadBalancer' && service.spec.externalTrafficPolicy === 'Local'

/**
 * Reports whether the service receives traffic from outside the cluster, so that the external traffic policy applies.
 * Before 1.29 external IPs alone did not count.
 */
export const isExternallyAccessible = (service: Service, release: Release): boolean =>
  needsNodePort(service) ||
  (isSince(release, '1.29') && serviceTypeOf(service) === 'ClusterIP' && (service.spec.externalIPs ?? []).length > 0)

/** Reports whether the service is headless: it has no address, and its name resolves to those of its pods. */
export const isHeadless = (service: Service): boolean => clusterIPsOf(service).length === 1 && clusterIPsOf(service)[0] === HEADLESS
/** Reports whether the service has a selector. Without one, its endpoints are managed manually. */
export const hasSelector = (service: Service): boolean => Object.keys(service.spec.selector ?? {}).length > 0

/** Returns the node ports, without that of the health check. 0 counts as unset. */
export const nodePortsOf = (service: Service): number[] => portsOf(service).flatMap(({ nodePort }) => (nodePort ? [nodePort] : []))

/** Reports whether two lists have the same members in the same order. */
export const sameList = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((item, i) => item === b[i])
