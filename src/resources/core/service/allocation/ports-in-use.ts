import type { ResourceAccess } from '../../../../catalog/definition.ts'
import type { KubeObject } from '../../../../meta/object.ts'
import { needsHealthCheck, nodePortsOf } from '../fields.ts'

export const SERVICES = { group: '', resource: 'services' }

/** Node ports of a service, that of the health check included. */
export const allNodePortsOf = (service: KubeObject): number[] => [
  ...new Set([...nodePortsOf(service), ...(needsHealthCheck(service) && service.spec.healthCheckNodePort ? [service.spec.healthCheckNodePort as number] : [])]),
]

/** Node ports of all services. */
export async function portsInUse(api: ResourceAccess): Promise<Set<number>> {
  const { items } = await api.list(SERVICES, '')
  return new Set(items.flatMap(allNodePortsOf))
}
