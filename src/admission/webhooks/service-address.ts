import type { TypedObject } from '../../meta/object.ts'
import { isStatusError } from '../../meta/status.ts'
import type { ResolveService } from './target.ts'

/** What is read of a Service. */
export type ServiceObject = TypedObject & {
  readonly spec: { readonly type?: string; readonly clusterIP?: string; readonly externalName?: string; readonly ports?: readonly { readonly port: number }[] }
}

/**
 * Where services are reached: at their cluster IP, or at the name that stands for one elsewhere, as kube-apiserver does without `--enable-aggregator-routing`.
 * @param get a service from the cache; throws 404 where there is none.
 */
export function serviceAddress(get: (namespace: string, name: string) => Promise<ServiceObject>): ResolveService {
  return async (namespace, name, port) => {
    const { spec } = await get(namespace, name).catch(error => {
      throw isStatusError(error, 'NotFound') ? new Error(`service ${JSON.stringify(name)} not found`) : error
    })
    const { type, clusterIP = '', externalName = '', ports = [] } = spec
    if (type === 'ExternalName') return { host: externalName, port }
    if (type === 'ClusterIP' && clusterIP === 'None') throw new Error('cannot route to service with ClusterIP "None"')
    if (!ports.some(each => each.port === port)) throw new Error(`no service port ${port} found for service ${JSON.stringify(name)}`)
    return { host: clusterIP, port }
  }
}
