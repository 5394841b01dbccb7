import { randomInt } from 'node:crypto'
import { endpointAddress, placedFirst, type ServiceAddresses, serviceAddress } from '../admission/webhooks/service-address.ts'
import type { ResolveService } from '../admission/webhooks/target.ts'
import type { RegistryReader } from '../registry/registry-reader.ts'
import { ENDPOINTS } from '../resources/kinds.ts'
import { AdmissionReads } from './admission-plugins.ts'
import type { LocalServers } from './local-servers.ts'

/** How services are resolved to addresses. */
export interface ServiceRouting {
  /** `--service-addresses`: takes precedence over the cluster. */
  readonly addresses: ServiceAddresses
  /** `--enable-aggregator-routing`: routes to endpoints instead of the cluster IP. */
  readonly toEndpoints: boolean
}

/**
 * Returns a resolver for the services of webhooks and aggregated servers.
 * @param local returns the servers of a simulated cluster, if there are any.
 */
export function serviceResolver(
  { addresses, toEndpoints }: ServiceRouting,
  reader: RegistryReader,
  local: () => LocalServers | undefined,
): ResolveService {
  const reads = new AdmissionReads(reader)
  const getService = (namespace: string, name: string) => reads.service(namespace, name)
  const inCluster = toEndpoints
    ? endpointAddress(
        getService,
        (namespace, name) => reads.get(ENDPOINTS, name, namespace),
        count => (count > 1 ? randomInt(count) : 0),
      )
    : serviceAddress(getService)
  return placedFirst(addresses, async (namespace, name, port) => {
    const open = await local()?.service(namespace, name)
    return open ? { host: `${name}.${namespace}.svc`, port, open } : inCluster(namespace, name, port)
  })
}
