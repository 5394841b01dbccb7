import type { EndpointAddress, Service } from '../../../api/core/v1.types.ts'
import type { ConnectCall, Destination, ObjectReader } from '../../../catalog/connect.ts'
import { getKind } from '../../../catalog/define.ts'
import type { Subresource } from '../../../catalog/definition.ts'
import { types } from '../../../catalog/types.ts'
import { serviceUnavailableError } from '../../../meta/status.ts'
import { ENDPOINTS, PODS, SERVICES } from '../../kinds.ts'
import { PROXY_METHODS, PROXY_VERBS, proxyDestination, proxyTarget } from '../connect/proxy-target.ts'

const schema = types.type('core.ServiceProxyOptions')

/**
 * Returns the name of the service's port with this number, by which endpoints refer to it. A text that is not a number
 * is a name already. Throws 503 if the service has no such port.
 */
async function portName(api: ObjectReader, namespace: string, service: string, port: string): Promise<string> {
  if (!/^[+-]?\d+$/.test(port)) return port
  const { spec } = await getKind(api, SERVICES, namespace, service)
  const found = spec.ports?.find(each => each.port === Number(port))
  if (!found) throw serviceUnavailableError(`no service port ${Number(port)} found for service ${JSON.stringify(service)}`)
  return found.name ?? ''
}

/**
 * Reports whether the address belongs to a pod of the namespace. Any client that may write endpoints could enter other
 * addresses. A pod that cannot be read does not count.
 */
async function isPodsOwn(api: ObjectReader, namespace: string, { ip, targetRef }: EndpointAddress): Promise<boolean> {
  if (!targetRef || (targetRef.namespace ?? '') !== namespace) return false
  try {
    const { status } = await getKind(api, PODS, namespace, targetRef.name ?? '')
    return (status.podIPs ?? []).some(each => each.ip === ip)
  } catch {
    return false
  }
}

/** Rotates the list to a random start. */
function fromAnywhere<T>(list: readonly T[], random: () => number): T[] {
  const start = Math.floor(random() * list.length)
  return [...list.slice(start), ...list.slice(0, start)]
}

/**
 * Returns the address of a pod that serves the port. Subsets and their addresses are tried from random ones on. Throws
 * 503 if there is none.
 */
async function locateService({ api, name: id, namespace, options }: ConnectCall, random: () => number): Promise<Destination> {
  const { scheme, name, port } = proxyTarget('service', id)
  const wanted = await portName(api, namespace, name, port)
  const { subsets = [] } = await getKind(api, ENDPOINTS, namespace, name)
  if (subsets.length === 0) throw serviceUnavailableError(`no endpoints available for service ${JSON.stringify(name)}`)
  for (const { addresses, ports } of fromAnywhere(subsets, random))
    for (const each of ports ?? [])
      if ((each.name ?? '') === wanted)
        for (const address of fromAnywhere(addresses ?? [], random))
          if (await isPodsOwn(api, namespace, address))
            return proxyDestination(scheme, address.ip, String(each.port), String(options.path ?? ''))
  throw serviceUnavailableError(`no endpoints available for service ${JSON.stringify(id)}`)
}

/** Proxies HTTP requests to an endpoint of a service. */
export const serviceProxySubresource = (random: () => number): Subresource<Service> => ({
  verbs: PROXY_VERBS,
  kind: { group: '', version: 'v1', kind: 'ServiceProxyOptions', schema },
  connect: { how: 'proxy', methods: PROXY_METHODS, options: schema, subpath: true, locate: call => locateService(call, random) },
})
