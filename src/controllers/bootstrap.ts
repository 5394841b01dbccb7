import type { ResourceId } from '../catalog/definition.ts'
import type { KubeObject } from '../meta/object.ts'
import { isStatusError } from '../meta/status.ts'
import { formatTime } from '../meta/time.ts'
import type { SystemPriorityClass } from '../resources/scheduling/priority-class/system-classes.ts'
import { SYSTEM_PRIORITY_CLASSES } from '../resources/scheduling/priority-class/system-classes.ts'
import type { ControllerEnvironment } from './controller.ts'
import { pause } from './controller.ts'
import { ensureFlowControlObjects } from './flow-control-objects.ts'

const ENDPOINTS: ResourceId = { group: '', resource: 'endpoints' }
const SLICES: ResourceId = { group: 'discovery.k8s.io', resource: 'endpointslices' }
const SYSTEM_NAMESPACES = ['default', 'kube-system', 'kube-public', 'kube-node-lease']

export interface BootstrapOptions {
  /** Where clients reach this server; becomes the endpoints of the service `kubernetes`. */
  readonly address: string
  readonly port: number
  /** First address of the service range. */
  readonly serviceIP: string
  readonly serviceCIDRs: readonly string[]
}

const FIRST_WAIT_MS = 50

/**
 * Makes what every cluster has from the start: the system's namespaces, the default ServiceCIDR, the priority classes of the system, the objects of flow control, and the service
 * `kubernetes` with its endpoints. Tried until it is there.
 */
export async function bootstrap(env: ControllerEnvironment, options: BootstrapOptions, signal: AbortSignal): Promise<void> {
  for (let wait = FIRST_WAIT_MS; !signal.aborted; wait = Math.min(wait * 2, 5000)) {
    try {
      await Promise.all([makeMissing(env, options), ensureFlowControlObjects(env)])
      await Promise.all(SYSTEM_PRIORITY_CLASSES.map(one => ensurePriorityClass(env, one)))
      await leadHere(env, options)
      return
    } catch (error) {
      const why = { error: (error as Error).message }
      // Of servers that begin together, one may find that another is making them.
      if (wait === FIRST_WAIT_MS) env.logger.debug(2, 'bootstrap objects cannot be made yet', why)
      else env.logger.warn('bootstrap objects cannot be made yet', why)
      await pause(wait, signal)
    }
  }
}

/** Makes what somebody has deleted again, as kube-apiserver does every ten seconds. What is there stays as it is. */
export async function keepBootstrapped(env: ControllerEnvironment, options: BootstrapOptions, signal: AbortSignal, everyMs = 10_000): Promise<void> {
  for (await pause(everyMs, signal); !signal.aborted; await pause(everyMs, signal))
    await makeMissing(env, options).catch(error => env.logger.debug(1, 'bootstrap objects cannot be made again yet', { error: (error as Error).message }))
}

async function makeMissing(env: ControllerEnvironment, options: BootstrapOptions): Promise<void> {
  await Promise.all(
    SYSTEM_NAMESPACES.map(name => ensure(env, { group: '', resource: 'namespaces' }, '', { kind: 'Namespace', apiVersion: 'v1', metadata: { name } })),
  )
  await ensureServiceCIDR(env, options)
  await ensureService(env, options)
  await ensure(env, ENDPOINTS, 'default', endpoints(options))
  await ensure(env, SLICES, 'default', endpointSlice(options))
}

async function ensure(env: ControllerEnvironment, id: ResourceId, namespace: string, object: KubeObject): Promise<void> {
  try {
    await env.access.get(id, namespace, object.metadata.name as string, { resourceVersion: '0' })
  } catch (error) {
    if (!isStatusError(error, 'NotFound')) throw error
    await env.access.create(id, namespace, object).catch(again => {
      if (!isStatusError(again, 'AlreadyExists')) throw again
    })
  }
}

async function ensureServiceCIDR(env: ControllerEnvironment, { serviceCIDRs }: BootstrapOptions): Promise<void> {
  const id = { group: 'networking.k8s.io', resource: 'servicecidrs' }
  const spec = { cidrs: [...serviceCIDRs] }
  await ensure(env, id, '', { kind: 'ServiceCIDR', apiVersion: 'networking.k8s.io/v1', metadata: { name: 'kubernetes' }, spec })
  await env.access.update(id, '', 'kubernetes', markReady(env.clock.now()), { subresource: 'status' })
}

/** The condition by which upstream's controller tells that addresses may be taken from the range. */
const markReady =
  (now: number) =>
  (object: KubeObject): KubeObject | undefined => {
    const conditions: { type: string }[] = object.status?.conditions ?? []
    if (conditions.some(condition => condition.type === 'Ready')) return undefined
    const ready = { type: 'Ready', status: 'True', lastTransitionTime: formatTime(now), reason: '', message: 'Kubernetes default Service CIDR is ready' }
    return { ...object, status: { ...object.status, conditions: [...conditions, ready] } }
  }

/** Made at the start only: kube-apiserver does not make them again either. */
const ensurePriorityClass = (env: ControllerEnvironment, { name, value, description }: SystemPriorityClass) =>
  ensure(env, { group: 'scheduling.k8s.io', resource: 'priorityclasses' }, '', {
    kind: 'PriorityClass',
    apiVersion: 'scheduling.k8s.io/v1',
    metadata: { name },
    value,
    description,
  })

const ensureService = (env: ControllerEnvironment, { port, serviceIP }: BootstrapOptions) =>
  ensure(env, { group: '', resource: 'services' }, 'default', {
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

const subsetsOf = ({ address, port }: BootstrapOptions) => [{ addresses: [{ ip: address }], ports: [{ name: 'https', port, protocol: 'TCP' }] }]

const endpoints = (options: BootstrapOptions): KubeObject => ({
  kind: 'Endpoints',
  apiVersion: 'v1',
  metadata: { name: 'kubernetes', namespace: 'default', labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
  subsets: subsetsOf(options),
})

/** The same endpoints in the kind that took the place of Endpoints. */
const endpointSlice = ({ address, port }: BootstrapOptions): KubeObject => ({
  kind: 'EndpointSlice',
  apiVersion: 'discovery.k8s.io/v1',
  metadata: { name: 'kubernetes', namespace: 'default', labels: { 'kubernetes.io/service-name': 'kubernetes' } },
  addressType: address.includes(':') ? 'IPv6' : 'IPv4',
  endpoints: [{ addresses: [address], conditions: { ready: true } }],
  ports: [{ name: 'https', port, protocol: 'TCP' }],
})

/** Endpoints that an earlier start left lead to where this server is now. */
async function leadHere(env: ControllerEnvironment, options: BootstrapOptions): Promise<void> {
  const { addressType, endpoints, ports } = endpointSlice(options)
  const slice = await env.access.get(SLICES, 'default', 'kubernetes')
  // The type of a slice's addresses cannot be changed.
  if (slice.addressType === addressType) await env.access.update(SLICES, 'default', 'kubernetes', now => ({ ...now, endpoints, ports }))
  else {
    await env.access.delete(SLICES, 'default', 'kubernetes')
    await env.access.create(SLICES, 'default', endpointSlice(options))
  }
  await env.access.update(ENDPOINTS, 'default', 'kubernetes', now => ({ ...now, subsets: subsetsOf(options) }))
}
