import { updateKind } from '../catalog/define.ts'
import { errorMessage } from '../lib/error-message.ts'
import { pause } from '../lib/pause.ts'
import type { Release } from '../lifecycle/release.ts'
import { formatTime } from '../meta/time.ts'
import { NAMESPACES, PRIORITY_CLASSES, SERVICE_CIDRS } from '../resources/kinds.ts'
import { DEFAULT_SERVICE_CIDR } from '../resources/networking/service-cidr/default.ts'
import type { ServiceCIDR } from '../resources/networking/v1.types.ts'
import type { SystemPriorityClass } from '../resources/scheduling/priority-class/system-classes.ts'
import { SYSTEM_PRIORITY_CLASSES } from '../resources/scheduling/priority-class/system-classes.ts'
import type { ControllerEnvironment } from './controller.ts'
import { all, ensure, isRefused, type Refusals } from './ensure.ts'
import { ensureFlowControlObjects } from './flow-control-objects.ts'
import {
  ensureEndpoints,
  ensureService,
  ensureSlice,
  type KubernetesServiceOptions,
  leadEndpointsHere,
  leadSliceHere,
  mayBeEndpoint,
  removeEndpoints,
} from './kubernetes-service.ts'

const SYSTEM_NAMESPACES = ['default', 'kube-system', 'kube-public', 'kube-node-lease']

/** What the first objects of a cluster are made of. */
export interface BootstrapOptions extends KubernetesServiceOptions {
  readonly release: Release
  readonly serviceCIDRs: readonly string[]
  /** No other server shares the store: endpoints in it are of this one, or of nobody. */
  readonly alone: boolean
  /** Optional. Filled with what is refused, by the names of the log. */
  readonly refusals?: Refusals
}

/** One of the things that every cluster has from the start. It is made, or fails, by itself. */
interface Part {
  /** As the log names it. */
  readonly name: string
  make(env: ControllerEnvironment): Promise<void>
}

/** Parts that have a readiness check of their own. */
export const FLOW_CONTROL_PART = 'objects of flow control'
export const PRIORITY_CLASS_PART = 'priority classes of the system'

const FIRST_WAIT_MS = 50
const REFUSALS = 3

/**
 * Makes what every cluster has from the start: the system's namespaces, the default ServiceCIDR, the priority classes of the system, the objects of flow control, and the service
 * `kubernetes` with its endpoints. Each is tried until it is there or is refused. Resolves with what was refused, which `keepBootstrapped` tries again.
 */
export async function bootstrap(env: ControllerEnvironment, options: BootstrapOptions, signal: AbortSignal): Promise<readonly Part[]> {
  const refused: Part[] = []
  const make = async (part: Part): Promise<void> => {
    if (!(await isMade(env, part, options, signal))) refused.push(part)
  }
  // Others stand in them.
  await make(SYSTEM_NAMESPACE_OBJECTS)
  await Promise.all([serviceRange(options), service(options), ...endpointsHere(env, options), flowControl(options), PRIORITY_CLASS_OBJECTS].map(make))
  return refused
}

/**
 * Creates again what was deleted, and what was refused at the start, as kube-apiserver does every ten seconds. What is there stays as it is. Priority classes are made at
 * the start only: kube-apiserver does not make them again either.
 */
export async function keepBootstrapped(
  env: ControllerEnvironment,
  options: BootstrapOptions,
  refused: readonly Part[],
  signal: AbortSignal,
  everyMs = 10_000,
): Promise<void> {
  const kept = [SYSTEM_NAMESPACE_OBJECTS, serviceRange(options), service(options), ...endpointsKept(options)]
  const missing = new Map(refused.map(part => [part.name, part]))
  const make = async (part: Part): Promise<void> => {
    try {
      await part.make(env)
      options.refusals?.delete(part.name)
      if (missing.delete(part.name)) env.logger.info('bootstrap objects that were refused are made now', { what: part.name })
    } catch (error) {
      if (missing.has(part.name)) options.refusals?.set(part.name, errorMessage(error))
      env.logger.debug(1, 'bootstrap objects cannot be made again yet', { what: part.name, error: errorMessage(error) })
    }
  }
  for (await pause(everyMs, signal); !signal.aborted; await pause(everyMs, signal))
    await Promise.all([...missing.values(), ...kept.filter(({ name }) => !missing.has(name))].map(make))
}

/**
 * Tries until it is there: true. False where it is refused several times within a moment: once may be the work of another server that begins, and has taken the address of the
 * service but not stored the service yet.
 */
async function isMade(env: ControllerEnvironment, part: Part, { refusals }: BootstrapOptions, signal: AbortSignal): Promise<boolean> {
  let times = 0
  let told: string | undefined
  for (let wait = FIRST_WAIT_MS; !signal.aborted; wait = Math.min(wait * 2, 5000)) {
    try {
      await part.make(env)
      return true
    } catch (error) {
      const why = { what: part.name, error: errorMessage(error) }
      if (isRefused(error) && ++times === REFUSALS) {
        env.logger.warn('bootstrap objects are refused: the server is not ready without them', why)
        refusals?.set(why.what, why.error)
        return false
      }
      // Of servers that begin together, one may find that another is making them. A reason is told once.
      if (wait === FIRST_WAIT_MS || isRefused(error) || why.error === told) env.logger.debug(2, 'bootstrap objects cannot be made yet', why)
      else {
        told = why.error
        env.logger.warn('bootstrap objects cannot be made yet', why)
      }
      await pause(wait, signal)
    }
  }
  return false
}

const SYSTEM_NAMESPACE_OBJECTS: Part = {
  name: 'namespaces of the system',
  make: env => all(SYSTEM_NAMESPACES.map(name => ensure(env, NAMESPACES, '', { kind: 'Namespace', apiVersion: 'v1', metadata: { name } }))),
}

const serviceRange = (options: BootstrapOptions): Part => ({ name: 'default ServiceCIDR', make: env => ensureServiceCIDR(env, options) })

/** Only created: an administrator may have changed it since, and a range in use cannot change. */
async function ensureServiceCIDR(env: ControllerEnvironment, { serviceCIDRs }: BootstrapOptions): Promise<void> {
  const spec = { cidrs: [...serviceCIDRs] }
  await ensure(env, SERVICE_CIDRS, '', { kind: 'ServiceCIDR', apiVersion: 'networking.k8s.io/v1', metadata: { name: DEFAULT_SERVICE_CIDR }, spec })
  await updateKind(env.access, SERVICE_CIDRS, { namespace: '', name: DEFAULT_SERVICE_CIDR, subresource: 'status' }, markReady(env.clock.now()))
}

/** The condition by which upstream's controller reports that addresses may be taken from the range. */
const markReady =
  (now: number) =>
  (object: ServiceCIDR): ServiceCIDR | undefined => {
    const { conditions = [] } = object.status
    if (conditions.some(condition => condition.type === 'Ready')) return undefined
    const ready = { type: 'Ready', status: 'True', lastTransitionTime: formatTime(now), reason: '', message: 'Kubernetes default Service CIDR is ready' }
    return { ...object, status: { ...object.status, conditions: [...conditions, ready] } }
  }

const flowControl = ({ release }: BootstrapOptions): Part => ({ name: FLOW_CONTROL_PART, make: env => ensureFlowControlObjects(env, release) })

const service = (options: BootstrapOptions): Part => ({ name: 'service kubernetes', make: env => ensureService(env, options) })

const ENDPOINTS = 'endpoints of the service kubernetes'
const SLICE = 'endpoint slice of the service kubernetes'

/** The endpoints at the start of a server. An address that others do not reach is no endpoint. */
function endpointsHere({ logger }: ControllerEnvironment, options: BootstrapOptions): Part[] {
  if (mayBeEndpoint(options.address))
    return [
      { name: ENDPOINTS, make: env => leadEndpointsHere(env, options) },
      { name: SLICE, make: env => leadSliceHere(env, options) },
    ]
  logger.info('the service kubernetes has no endpoints: others do not reach this address', { address: options.address })
  return options.alone ? [{ name: ENDPOINTS, make: removeEndpoints }] : []
}

/** What is repeated while the server runs: another server, or a user, may have changed them. */
const endpointsKept = (options: BootstrapOptions): Part[] =>
  mayBeEndpoint(options.address)
    ? [
        { name: ENDPOINTS, make: env => ensureEndpoints(env, options) },
        { name: SLICE, make: env => ensureSlice(env, options) },
      ]
    : []

const PRIORITY_CLASS_OBJECTS: Part = {
  name: PRIORITY_CLASS_PART,
  make: env => all(SYSTEM_PRIORITY_CLASSES.map(one => ensurePriorityClass(env, one))),
}

/** Only created: value and policy of a class never change. */
const ensurePriorityClass = (env: ControllerEnvironment, { name, value, description }: SystemPriorityClass): Promise<void> =>
  ensure(env, PRIORITY_CLASSES, '', {
    kind: 'PriorityClass',
    apiVersion: 'scheduling.k8s.io/v1',
    metadata: { name },
    value,
    description,
  })
