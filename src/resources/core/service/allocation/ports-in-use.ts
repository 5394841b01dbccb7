import { listKind } from '../../../../catalog/define.ts'
import type { ResourceAccess } from '../../../../catalog/definition.ts'
import { SERVICES } from '../../../kinds.ts'
import type { Service } from '../../v1.types.ts'
import { needsHealthCheck, nodePortsOf } from '../fields.ts'

/** Node ports of a service, that of the health check included. */
export function allNodePortsOf(service: Service): number[] {
  const healthCheck = needsHealthCheck(service) && service.spec.healthCheckNodePort
  return [...new Set([...nodePortsOf(service), ...(healthCheck ? [healthCheck] : [])])]
}

/** Node ports of all services. */
export async function portsInUse(api: ResourceAccess): Promise<Set<number>> {
  return new Set((await listKind(api, SERVICES, '')).flatMap(allNodePortsOf))
}
