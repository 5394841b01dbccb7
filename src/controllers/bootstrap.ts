import type { ServiceCIDR } from '../api/networking/v1.types.ts'
import { updateKind } from '../catalog/define.ts'
import { errorMessage } from '../lib/error-message.ts'
import { pause } from '../lib/pause.ts'
import type { Release } from '../lifecycle/release.ts'
import { formatTime } from '../meta/time.ts'
import { DEFAULT_SERVICE_CIDR } from '../resources/core/service/allocation/cluster-ips.ts'
import { NAMESPACES, PRIORITY_CLASSES, SERVICE_CIDRS } from '../resources/kinds.ts'
import type { SystemPriorityClass } from '../resources/scheduling/priority-class/system-classes.ts'
import { SYSTEM_PRIORITY_CLASSES } from '../resources/scheduling/priority-class/system-classes.ts'
import type { ControllerEnvironment } from './controller.ts'
import { ensure, isRefused, type Refusals, settleAll } from './ensure.ts'
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

/** Namespaces that kube-apiserver creates and keeps. */
const SYSTEM_NAMESPACES = ['default', 'kube-system', 'kube-public', 'kube-node-lease']

/** Options of the bootstrap objects. */
export interface BootstrapOptions extends KubernetesServiceOptions {
  readonly release: Release
  /** Ranges of the default ServiceCIDR, at most one of each family. */
  readonly serviceCIDRs: readonly string[]
  /** Whether no other server shares the store, so that stored endpoints of other addresses are obsolete. */
  readonly alone: boolean
  /** Optional. Receives rejected objects, with the reason, by the name of their part. */
  readonly refusals?: Refusals
}

/** A group of bootstrap objects. Parts succeed or fail independently. */
interface BootstrapPart {
  /** Name in logs and readiness checks. */
  readonly name: string
  /** Creates the objects that are missing. Rejects if one cannot be created. */
  make(env: ControllerEnvironment): Promise<void>
}

/** Parts with a readiness check of their own. */
export const FLOW_CONTROL_PART = 'flow schemas and priority levels'
export const PRIORITY_CLASS_PART = 'system priority classes'

/** First delay between attempts, which doubles up to five seconds. */
const FIRST_WAIT_MS = 50
/** Rejections of a part after which it is given up for now. */
const REFUSALS = 3

/**
 * Creates the objects that every cluster starts with: system namespaces, the default ServiceCIDR, system priority
 * classes, flow schemas and priority levels, and the service `kubernetes` with its endpoints. Retries each part until
 * it exists or is rejected. Resolves with the rejected parts, for `keepBootstrapped`.
 */
export async function bootstrap(
  env: ControllerEnvironment,
  options: BootstrapOptions,
  signal: AbortSignal,
): Promise<readonly BootstrapPart[]> {
  const refused: BootstrapPart[] = []
  const make = async (part: BootstrapPart): Promise<void> => {
    if (!(await isMade(env, part, options, signal))) refused.push(part)
  }
  // First, because other parts are in these namespaces.
  await make(SYSTEM_NAMESPACE_OBJECTS)
  await Promise.all(
    [serviceRange(options), service(options), ...endpointsHere(env, options), flowControl(options), PRIORITY_CLASS_OBJECTS].map(make),
  )
  return refused
}

/**
 * Recreates deleted objects every ten seconds, as kube-apiserver does, and retries rejected parts. Existing objects are
 * not changed. Priority classes are created only at start, as upstream.
 */
export async function keepBootstrapped(
  env: ControllerEnvironment,
  options: BootstrapOptions,
  refused: readonly BootstrapPart[],
  signal: AbortSignal,
  everyMs = 10_000,
): Promise<void> {
  const kept = [SYSTEM_NAMESPACE_OBJECTS, serviceRange(options), service(options), ...endpointsKept(options)]
  const missing = new Map(refused.map(part => [part.name, part]))
  const make = async (part: BootstrapPart): Promise<void> => {
    try {
      await part.make(env)
      options.refusals?.delete(part.name)
      if (missing.delete(part.name)) env.logger.info('created bootstrap objects that were rejected before', { what: part.name })
    } catch (error) {
      if (missing.has(part.name)) options.refusals?.set(part.name, errorMessage(error))
      env.logger.debug(1, 'cannot recreate bootstrap objects, retrying', { what: part.name, error: errorMessage(error) })
    }
  }
  for (await pause(everyMs, signal); !signal.aborted; await pause(everyMs, signal))
    await Promise.all([...missing.values(), ...kept.filter(({ name }) => !missing.has(name))].map(make))
}

/**
 * Retries a part until it exists and returns true. Returns false if it is rejected several times in a row: a single
 * rejection can be caused by another server that is starting and has allocated the address of the service but not
 * stored it yet.
 */
async function isMade(
  env: ControllerEnvironment,
  part: BootstrapPart,
  { refusals }: BootstrapOptions,
  signal: AbortSignal,
): Promise<boolean> {
  let times = 0
  let told: string | undefined
  for (let wait = FIRST_WAIT_MS; !signal.aborted; wait = Math.min(wait * 2, 5000)) {
    try {
      await part.make(env)
      return true
    } catch (error) {
      const why = { what: part.name, error: errorMessage(error) }
      if (isRefused(error) && ++times === REFUSALS) {
        env.logger.warn('bootstrap objects were rejected: the server is not ready without them', why)
        refusals?.set(why.what, why.error)
        return false
      }
      // If several servers start together, the first failures are expected. Each distinct error is logged as a warning
      // once.
      if (wait === FIRST_WAIT_MS || isRefused(error) || why.error === told)
        env.logger.debug(2, 'cannot create bootstrap objects, retrying', why)
      else {
        told = why.error
        env.logger.warn('cannot create bootstrap objects, retrying', why)
      }
      await pause(wait, signal)
    }
  }
  return false
}

const SYSTEM_NAMESPACE_OBJECTS: BootstrapPart = {
  name: 'namespaces of the system',
  make: env =>
    settleAll(SYSTEM_NAMESPACES.map(name => ensure(env, NAMESPACES, '', { kind: 'Namespace', apiVersion: 'v1', metadata: { name } }))),
}

const serviceRange = (options: BootstrapOptions): BootstrapPart => ({
  name: 'default ServiceCIDR',
  make: env => ensureServiceCIDR(env, options),
})

/**
 * Creates the ServiceCIDR but never updates it: an administrator may have changed it, and a range in use is immutable.
 */
async function ensureServiceCIDR(env: ControllerEnvironment, { serviceCIDRs }: BootstrapOptions): Promise<void> {
  const spec = { cidrs: [...serviceCIDRs] }
  await ensure(env, SERVICE_CIDRS, '', {
    kind: 'ServiceCIDR',
    apiVersion: 'networking.k8s.io/v1',
    metadata: { name: DEFAULT_SERVICE_CIDR },
    spec,
  })
  await updateKind(
    env.access,
    SERVICE_CIDRS,
    { namespace: '', name: DEFAULT_SERVICE_CIDR, subresource: 'status' },
    markReady(env.clock.now()),
  )
}

/** Sets the condition with which upstream's controller reports that the range is ready for allocation. */
const markReady =
  (now: number) =>
  (object: ServiceCIDR): ServiceCIDR | undefined => {
    const { conditions = [] } = object.status
    if (conditions.some(condition => condition.type === 'Ready')) return undefined
    const ready = {
      type: 'Ready',
      status: 'True',
      lastTransitionTime: formatTime(now),
      reason: '',
      message: 'Kubernetes default Service CIDR is ready',
    }
    return { ...object, status: { ...object.status, conditions: [...conditions, ready] } }
  }

const flowControl = ({ release }: BootstrapOptions): BootstrapPart => ({
  name: FLOW_CONTROL_PART,
  make: env => ensureFlowControlObjects(env, release),
})

const service = (options: BootstrapOptions): BootstrapPart => ({ name: 'service kubernetes', make: env => ensureService(env, options) })

const ENDPOINTS = 'endpoints of the service kubernetes'
const SLICE = 'endpoint slice of the service kubernetes'

/** Endpoints written at start. An address that other machines cannot reach is not published. */
function endpointsHere({ logger }: ControllerEnvironment, options: BootstrapOptions): BootstrapPart[] {
  if (mayBeEndpoint(options.address))
    return [
      { name: ENDPOINTS, make: env => leadEndpointsHere(env, options) },
      { name: SLICE, make: env => leadSliceHere(env, options) },
    ]
  logger.info('the service kubernetes has no endpoints: other machines cannot reach this address', { address: options.address })
  return options.alone ? [{ name: ENDPOINTS, make: removeEndpoints }] : []
}

/** Endpoints reconciled while the server runs, because another server or a user may change them. */
const endpointsKept = (options: BootstrapOptions): BootstrapPart[] =>
  mayBeEndpoint(options.address)
    ? [
        { name: ENDPOINTS, make: env => ensureEndpoints(env, options) },
        { name: SLICE, make: env => ensureSlice(env, options) },
      ]
    : []

/** System priority classes, which pods of the system require. */
const PRIORITY_CLASS_OBJECTS: BootstrapPart = {
  name: PRIORITY_CLASS_PART,
  make: env => settleAll(SYSTEM_PRIORITY_CLASSES.map(one => ensurePriorityClass(env, one))),
}

/** Creates the class but never updates it: value and policy are immutable. */
const ensurePriorityClass = (env: ControllerEnvironment, { name, value, description }: SystemPriorityClass): Promise<void> =>
  ensure(env, PRIORITY_CLASSES, '', {
    kind: 'PriorityClass',
    apiVersion: 'scheduling.k8s.io/v1',
    metadata: { name },
    value,
    description,
  })
