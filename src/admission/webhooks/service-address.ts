import type { TypedObject } from '../../api/meta/object.ts'
import { hostAndPort } from '../../lib/host-and-port.ts'
import { isStatusError } from '../../meta/status.ts'
import type { ResolveService } from './target.ts'

/** The part of a Service that is read here. */
export type ServiceObject = TypedObject & {
  readonly spec: {
    readonly type?: string
    readonly clusterIP?: string
    readonly externalName?: string
    readonly ports?: readonly { readonly name?: string; readonly port: number }[]
  }
}

/** The part of an Endpoints object that is read here. */
export type EndpointsObject = TypedObject & {
  readonly subsets?: readonly {
    readonly addresses?: readonly { readonly ip: string }[]
    readonly ports?: readonly { readonly name?: string; readonly port: number }[]
  }[]
}

/** Reads from the cache. Throws 404 if the object does not exist. */
type Get<T> = (namespace: string, name: string) => Promise<T>

const found = <T>(get: Get<T>, kind: string, namespace: string, name: string): Promise<T> =>
  get(namespace, name).catch(error => {
    throw isStatusError(error, 'NotFound') ? new Error(`${kind} ${JSON.stringify(name)} not found`) : error
  })

/**
 * Resolves services to their cluster IP or externalName, as kube-apiserver does without `--enable-aggregator-routing`.
 */
export function serviceAddress(get: Get<ServiceObject>): ResolveService {
  return async (namespace, name, port) => {
    const { spec } = await found(get, 'service', namespace, name)
    const { type, clusterIP = '', externalName = '', ports = [] } = spec
    if (type === 'ExternalName') return { host: externalName, port }
    if (type === 'ClusterIP' && clusterIP === 'None') throw new Error('cannot route to service with ClusterIP "None"')
    if (!ports.some(each => each.port === port)) throw noPort(port, name)
    return { host: clusterIP, port }
  }
}

const noPort = (port: number, name: string): Error => new Error(`no service port ${port} found for service ${JSON.stringify(name)}`)

/**
 * Resolves services to one of their endpoints, as with `--enable-aggregator-routing`. @param pick returns an index
 * below the count.
 */
export function endpointAddress(
  getService: Get<ServiceObject>,
  getEndpoints: Get<EndpointsObject>,
  pick: (count: number) => number,
): ResolveService {
  return async (namespace, name, port) => {
    const { spec } = await found(getService, 'service', namespace, name)
    const { type = 'ClusterIP', ports = [] } = spec
    if (!['ClusterIP', 'LoadBalancer', 'NodePort'].includes(type)) throw new Error(`unsupported service type ${JSON.stringify(type)}`)
    const servicePort = ports.find(each => each.port === port)
    if (!servicePort) throw noPort(port, name)
    const { subsets = [] } = await found(getEndpoints, 'endpoints', namespace, name)
    const first = pick(subsets.length)
    for (let i = 0; i < subsets.length; i++) {
      const { addresses = [], ports: targets = [] } = subsets[(first + i) % subsets.length] ?? {}
      const target = targets.find(each => (each.name ?? '') === (servicePort.name ?? ''))
      const address = addresses[pick(addresses.length)]
      if (target && address) return { host: address.ip, port: target.port }
    }
    throw new Error(`no endpoints available for service ${JSON.stringify(name)}`)
  }
}

/**
 * Addresses from `--service-addresses`, for services that run outside a cluster. Keys are `NAMESPACE/NAME` and
 * `NAMESPACE/NAME:PORT`.
 */
export type ServiceAddresses = ReadonlyMap<string, { readonly host: string; readonly port: number }>

/** Returns the configured address of a service. Undefined if it is resolved in the cluster. */
export const configuredAddress = (places: ServiceAddresses, namespace: string, name: string, port: number) =>
  places.get(`${namespace}/${name}:${port}`) ?? places.get(`${namespace}/${name}`)

/** Resolves a service to its configured address, otherwise in the cluster. */
export const placedFirst =
  (places: ServiceAddresses, otherwise: ResolveService): ResolveService =>
  async (namespace, name, port) =>
    configuredAddress(places, namespace, name, port) ?? otherwise(namespace, name, port)

/**
 * Parses `NAMESPACE/NAME=HOST:PORT` and `NAMESPACE/NAME:PORT=HOST:PORT`. Throws an Error that names the invalid entry.
 */
export function parseServiceAddresses(entries: readonly string[]): ServiceAddresses {
  const places = new Map<string, { host: string; port: number }>()
  for (const entry of entries) {
    const [, service, address = ''] = /^([^/=]+\/[^/=:]+(?::\d{1,5})?)=(.+)$/.exec(entry) ?? []
    const place = hostAndPort(address)
    if (service === undefined || place === undefined) throw new Error(`${JSON.stringify(entry)} is not NAMESPACE/NAME=HOST:PORT`)
    places.set(service, place)
  }
  return places
}
