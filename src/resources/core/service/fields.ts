import type { KubeObject } from '../../../meta/object.ts'

/** What the fields of a Service mean together. Objects are defaulted. */

export const HEADLESS = 'None'

export interface ServicePort {
  name?: string
  protocol?: string
  appProtocol?: string
  port?: number
  targetPort?: number | string
  nodePort?: number
}

export const typeOf = (service: KubeObject): string => service.spec.type ?? ''
export const portsOf = (service: KubeObject): ServicePort[] => service.spec.ports ?? []
export const clusterIPsOf = (service: KubeObject): string[] => service.spec.clusterIPs ?? []
export const familiesOf = (service: KubeObject): string[] => service.spec.ipFamilies ?? []

/** Every type but ExternalName has a cluster IP, be it `None`. */
export const needsClusterIP = (service: KubeObject): boolean => typeOf(service) !== 'ExternalName'
export const needsNodePort = (service: KubeObject): boolean => typeOf(service) === 'NodePort' || typeOf(service) === 'LoadBalancer'
export const needsHealthCheck = (service: KubeObject): boolean => typeOf(service) === 'LoadBalancer' && service.spec.externalTrafficPolicy === 'Local'

export const isExternallyAccessible = (service: KubeObject): boolean =>
  needsNodePort(service) || (typeOf(service) === 'ClusterIP' && (service.spec.externalIPs ?? []).length > 0)

export const isHeadless = (service: KubeObject): boolean => clusterIPsOf(service).length === 1 && clusterIPsOf(service)[0] === HEADLESS
export const hasSelector = (service: KubeObject): boolean => Object.keys(service.spec.selector ?? {}).length > 0

/** Node ports of the ports, without that of the health check. */
export const nodePortsOf = (service: KubeObject): number[] => portsOf(service).flatMap(({ nodePort }) => (nodePort ? [nodePort] : []))

export const sameList = (a: readonly string[], b: readonly string[]): boolean => a.length === b.length && a.every((item, i) => item === b[i])
