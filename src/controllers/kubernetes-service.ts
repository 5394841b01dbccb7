import type { Endpoints } from '../api/core/v1.types.ts'
import type { EndpointSlice } from '../api/discovery/v1.types.ts'
import { getKind, updateKind } from '../catalog/define.ts'
import { isGlobalUnicast, parseIp } from '../meta/ip.ts'
import { isStatusError } from '../meta/status.ts'
import { ENDPOINT_SLICES, ENDPOINTS, SERVICES } from '../resources/kinds.ts'
import type { ControllerEnvironment } from './controller.ts'
import { ensure } from './ensure.ts'

/** Options of the service `kubernetes`, through which pods reach the API server, and of its endpoints. */
export interface KubernetesServiceOptions {
  /** Address at which clients reach this server. */
  readonly address: string
  readonly port: number
  /** First address of the service range. */
  readonly serviceIP: string
}

const PLACE = { namespace: 'default', name: 'kubernetes' }

/** Creates the service `kubernetes` in the namespace `default` unless it exists. */
export const ensureService = (env: ControllerEnvironment, { port, serviceIP }: KubernetesServiceOptions): Promise<void> =>
  ensure(env, SERVICES, 'default', {
    kind: 'Service',
    apiVersion: 'v1',
    metadata: { name: 'kubernetes', namespace: 'default', labels: { component: 'apiserver', provider: 'kubernetes' } },
    spec: {
      type: 'ClusterIP',
      clusterIP: serviceIP,
      clusterIPs: [serviceIP],
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      sessionAffinity: 'None',
      ports: [{ name: 'https', protocol: 'TCP', port: 443, targetPort: port }],
    },
  })

/**
 * Whether the address can be an endpoint: loopback and link-local addresses cannot. As upstream, a server without
 * another address publishes none.
 */
export function mayBeEndpoint(address: string): boolean {
  const ip = parseIp(address)
  return ip !== undefined && isGlobalUnicast(ip)
}

/** Creates the Endpoints, for clients that do not read EndpointSlices, unless they exist. */
export const ensureEndpoints = (env: ControllerEnvironment, options: KubernetesServiceOptions): Promise<void> =>
  ensure(env, ENDPOINTS, 'default', endpoints(options))

/** Creates the EndpointSlice with this server's address unless it exists. */
export const ensureSlice = (env: ControllerEnvironment, options: KubernetesServiceOptions): Promise<void> =>
  ensure(env, ENDPOINT_SLICES, 'default', endpointSlice(options))

/** Sets the Endpoints to this server's address, replacing those of an earlier start. */
export async function leadEndpointsHere(env: ControllerEnvironment, options: KubernetesServiceOptions): Promise<void> {
  await ensureEndpoints(env, options)
  await updateKind(env.access, ENDPOINTS, PLACE, now => ({ ...now, subsets: subsetsOf(options) }))
}

/** Sets the EndpointSlice to this server's address, replacing that of an earlier start. */
export async function leadSliceHere(env: ControllerEnvironment, options: KubernetesServiceOptions): Promise<void> {
  await ensureSlice(env, options)
  const { addressType, endpoints, ports } = endpointSlice(options)
  const slice = await getKind(env.access, ENDPOINT_SLICES, 'default', 'kubernetes')
  // addressType is immutable.
  if (slice.addressType === addressType) await updateKind(env.access, ENDPOINT_SLICES, PLACE, now => ({ ...now, endpoints, ports }))
  else {
    await env.access.delete(ENDPOINT_SLICES, 'default', 'kubernetes')
    await env.access.create(ENDPOINT_SLICES, 'default', endpointSlice(options))
  }
}

/** Deletes the endpoints of an earlier start, which point to an address that nothing serves. */
export async function removeEndpoints({ access }: ControllerEnvironment): Promise<void> {
  for (const id of [ENDPOINTS, ENDPOINT_SLICES])
    await access.delete(id, 'default', 'kubernetes').catch(error => {
      if (!isStatusError(error, 'NotFound')) throw error
    })
}

const subsetsOf = ({ address, port }: KubernetesServiceOptions): NonNullable<Endpoints['subsets']> => [
  { addresses: [{ ip: address }], ports: [{ name: 'https', port, protocol: 'TCP' }] },
]

const endpoints = (options: KubernetesServiceOptions): Endpoints => ({
  kind: 'Endpoints',
  apiVersion: 'v1',
  metadata: { name: 'kubernetes', namespace: 'default', labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
  subsets: subsetsOf(options),
})

/** EndpointSlice with the same endpoints. */
const endpointSlice = ({ address, port }: KubernetesServiceOptions): EndpointSlice => ({
  kind: 'EndpointSlice',
  apiVersion: 'discovery.k8s.io/v1',
  metadata: { name: 'kubernetes', namespace: 'default', labels: { 'kubernetes.io/service-name': 'kubernetes' } },
  addressType: address.includes(':') ? 'IPv6' : 'IPv4',
  endpoints: [{ addresses: [address], conditions: { ready: true } }],
  ports: [{ name: 'https', port, protocol: 'TCP' }],
})
