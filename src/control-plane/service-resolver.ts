import { randomInt } from 'node:crypto'
import { endpointAddress, placedFirst, type ServiceAddresses, serviceAddress } from '../admission/webhooks/service-address.ts'
import type { ResolveService } from '../admission/webhooks/target.ts'
import type { RegistryReader } from '../registry/registry-reader.ts'
import { ENDPOINTS } from '../resources/kinds.ts'
import { AdmissionReads } from './admission-plugins.ts'

/** How this server reaches services. */
export interface ServiceRouting {
  /** `--service-addresses` */
  readonly addresses: ServiceAddresses
  /** `--enable-aggregator-routing`: to endpoints, and not to the cluster IP. */
  readonly toEndpoints: boolean
}

/** Where webhooks and aggregated servers behind services are reached. */
export function serviceResolver({ addresses, toEndpoints }: ServiceRouting, reader: RegistryReader): ResolveService {
  const reads = new AdmissionReads(reader)
  const getService = (namespace: string, name: string) => reads.service(namespace, name)
  const inCluster = toEndpoints
    ? endpointAddress(
        getService,
        (namespace, name) => reads.get(ENDPOINTS, name, namespace),
        count => (count > 1 ? randomInt(count) : 0),
      )
    : serviceAddress(getService)
  return placedFirst(addresses, inCluster)
}
