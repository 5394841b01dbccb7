import { getKind, updateKind } from '../catalog/define.ts'
import { isGlobalUnicast, parseIp } from '../meta/ip.ts'
import { isStatusError } from '../meta/status.ts'
import type { Endpoints } from '../resources/core/v1.types.ts'
import type { EndpointSlice } from '../resources/discovery/v1.types.ts'
import { ENDPOINT_SLICES, ENDPOINTS, SERVICES } from '../resources/kinds.ts'
import type { ControllerEnvironment } from './controller.ts'
import { ensure } from './ensure.ts'

/** The Service `kubernetes`, by which programs in a cluster reach its API server, with its endpoints. */
export interface KubernetesServiceOptions {
  /** Where clients reach this server. */
  readonly address: string
  readonly port: number
  /** First address of the service range. */
  readonly serviceIP: string
}

const PLACE = { namespace: 'default', name: 'kubernetes' }

/** The service `kubernetes` of the namespace `default`, by which pods reach the server. */
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

/** Endpoints name no address that means something on this machine or link alone; a server that has no other has none, as with kube-apiserver. */
export function mayBeEndpoint(address: string): boolean {
  const ip = parseIp(address)
  return ip !== undefined && isGlobalUnicast(ip)
}

/** The same as Endpoints, for clients that do not read slices. */
export const ensureEndpoints = (env: ControllerEnvironment, options: KubernetesServiceOptions): Promise<void> =>
  ensure(env, ENDPOINTS, 'default', endpoints(options))

/** The EndpointSlice of the service `kubernetes`: this server’s address. */
export const ensureSlice = (env: ControllerEnvironment, options: KubernetesServiceOptions): Promise<void> =>
  ensure(env, ENDPOINT_SLICES, 'default', endpointSlice(options))

/** Endpoints that an earlier start left lead to where this server is now. */
export async function leadEndpointsHere(env: ControllerEnvironment, options: KubernetesServiceOptions): Promise<void> {
  await ensureEndpoints(env, options)
  await updateKind(env.access, ENDPOINTS, PLACE, now => ({ ...now, subsets: subsetsOf(options) }))
}

/** The same of the slice. */
export async function leadSliceHere(env: ControllerEnvironment, options: KubernetesServiceOptions): Promise<void> {
  await ensureSlice(env, options)
  const { addressType, endpoints, ports } = endpointSlice(options)
  const slice = await getKind(env.access, ENDPOINT_SLICES, 'default', 'kubernetes')
  // The type of a slice's addresses cannot be changed.
  if (slice.addressType === addressType) await updateKind(env.access, ENDPOINT_SLICES, PLACE, now => ({ ...now, endpoints, ports }))
  else {
    await env.access.delete(ENDPOINT_SLICES, 'default', 'kubernetes')
    await env.access.create(ENDPOINT_SLICES, 'default', endpointSlice(options))
  }
}

/** What an earlier start left leads nowhere. */
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

/** The same endpoints in the kind that took the place of Endpoints. */
const endpointSlice = ({ address, port }: KubernetesServiceOptions): EndpointSlice => ({
  kind: 'EndpointSlice',
  apiVersion: 'discovery.k8s.io/v1',
  metadata: { name: 'kubernetes', namespace: 'default', labels: { 'kubernetes.io/service-name': 'kubernetes' } },
  addressType: address.includes(':') ? 'IPv6' : 'IPv4',
  endpoints: [{ addresses: [address], conditions: { ready: true } }],
  ports: [{ name: 'https', port, protocol: 'TCP' }],
})
