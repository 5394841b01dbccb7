import type { Service } from '../../../../api/core/v1.types.ts'
import { listKind } from '../../../../catalog/define.ts'
import type { ResourceAccess } from '../../../../catalog/resource-access.ts'
import { SERVICES } from '../../../kinds.ts'
import { needsHealthCheck, nodePortsOf } from '../fields.ts'

/** Returns the node ports of a service, including that of the health check. */
export function allNodePortsOf(service: Service): number[] {
  const healthCheck = needsHealthCheck(service) && service.spec.healthCheckNodePort
  return [...new Set([...nodePortsOf(service), ...(healthCheck ? [healthCheck] : [])])]
}

/** Returns the node ports of all services. */
export async function portsInUse(api: ResourceAccess): Promise<Set<number>> {
  return new Set((await listKind(api, SERVICES, '')).flatMap(allNodePortsOf))
}
