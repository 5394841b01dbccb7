import { duplicate, forbidden, invalid, notFound, notSupported, required, verbatim } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { isValidPortName, isValidPortNum } from '../../../meta/names.ts'
import type { ApiStruct, Errors } from '../checks.ts'
import { checkDnsLabel, report } from '../checks.ts'
import type { VolumesByName } from '../volume/validation.ts'
import { checkEnv, checkEnvFrom } from './environment.ts'
import { checkLifecycle, checkProbes } from './handlers.ts'
import { checkDevices, checkMounts } from './mounts.ts'
import type { PodValidationOptions } from './options.ts'
import { checkResources } from './resources.ts'
import { checkSecurityContext } from './security-context.ts'
import { isSidecar } from './visit.ts'

/** What the containers of a spec have in common. */
export interface ContainerContext {
  readonly volumes: VolumesByName
  readonly claimNames: ReadonlySet<string>
  /** terminationGracePeriodSeconds of the spec; undefined where it is missing. */
  readonly grace: number | undefined
  readonly restartPolicy: string
  /** The pod runs in the host's user namespace. */
  readonly hostUsers: boolean
  readonly options: PodValidationOptions
}

const MESSAGE_POLICIES = ['File', 'FallbackToLogsOnError']
const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never']
const PROTOCOLS = ['SCTP', 'TCP', 'UDP']

function checkPorts(ports: readonly ApiStruct[], path: FieldPath, errors: Errors): void {
  const names = new Set<string>()
  ports.forEach((port, i) => {
    const at = path.index(i)
    const name: string = port.name ?? ''
    if (name !== '') {
      const texts = isValidPortName(name)
      if (texts.length > 0) report(texts, at.child('name'), name, errors)
      else if (names.has(name)) errors.push(duplicate(at.child('name'), name))
      else names.add(name)
    }
    if (!port.containerPort) errors.push(required(at.child('containerPort')))
    else report(isValidPortNum(port.containerPort), at.child('containerPort'), port.containerPort, errors)
    if (port.hostPort) report(isValidPortNum(port.hostPort), at.child('hostPort'), port.hostPort, errors)
    if (!port.protocol) errors.push(required(at.child('protocol')))
    else if (!PROTOCOLS.includes(port.protocol)) errors.push(notSupported(at.child('protocol'), port.protocol, PROTOCOLS))
  })
}

const RESIZABLE = ['cpu', 'memory']
const RESIZE_POLICIES = ['NotRequired', 'RestartContainer']

function checkResizePolicies(policies: readonly ApiStruct[], path: FieldPath, restartPolicy: string, errors: Errors): void {
  const seen = new Set<string>()
  const oneOf = (value: string, values: readonly string[]): void => {
    if (value === '') errors.push(required(path))
    else if (!values.includes(value)) errors.push(notSupported(path, values === RESIZABLE ? verbatim(value) : value, values))
  }
  policies.forEach((policy, i) => {
    const resource: string = policy.resourceName ?? ''
    const restart: string = policy.restartPolicy ?? ''
    if (seen.has(resource)) errors.push(duplicate(path.index(i), verbatim(resource)))
    seen.add(resource)
    oneOf(resource, RESIZABLE)
    oneOf(restart, RESIZE_POLICIES)
    if (restartPolicy === 'Never' && restart !== 'NotRequired') {
      errors.push(invalid(path, restart, "must be 'NotRequired' when `restartPolicy` is 'Never'"))
    }
  })
}

/** What every container must be, whatever list it stands in. */
function checkContainer(container: ApiStruct, path: FieldPath, context: ContainerContext, errors: Errors): void {
  if (!container.name) errors.push(required(path.child('name')))
  else checkDnsLabel(container.name, path.child('name'), errors)
  if (!container.image) errors.push(required(path.child('image')))
  const policy: string = container.terminationMessagePolicy ?? ''
  if (policy === '') errors.push(required(path.child('terminationMessagePolicy')))
  else if (!MESSAGE_POLICIES.includes(policy)) errors.push(notSupported(path.child('terminationMessagePolicy'), policy, MESSAGE_POLICIES))
  if (container.ports) checkPorts(container.ports, path.child('ports'), errors)
  if (container.env) checkEnv(container.env, path.child('env'), errors)
  if (container.envFrom) checkEnvFrom(container.envFrom, path.child('envFrom'), errors)
  if (container.volumeMounts) checkMounts(container, context.volumes, path.child('volumeMounts'), errors)
  if (container.volumeDevices) checkDevices(container, context.volumes, path.child('volumeDevices'), errors)
  const pull: string = container.imagePullPolicy ?? ''
  if (pull === '') errors.push(required(path.child('imagePullPolicy')))
  else if (!PULL_POLICIES.includes(pull)) errors.push(notSupported(path.child('imagePullPolicy'), pull, PULL_POLICIES))
  if (container.resources) checkResources(container.resources, context.claimNames, path.child('resources'), context.options, errors)
  if (container.resizePolicy) checkResizePolicies(container.resizePolicy, path.child('resizePolicy'), context.restartPolicy, errors)
  if (container.securityContext) checkSecurityContext(container.securityContext, context.hostUsers, path.child('securityContext'), errors)
}

/** Each host port once, by protocol and host address. `path`: that of the list. */
function checkHostPorts(containers: readonly ApiStruct[], path: FieldPath, errors: Errors): void {
  const seen = new Set<string>()
  containers.forEach((container, i) => {
    const ports: ApiStruct[] = container.ports ?? []
    ports.forEach((port, j) => {
      if (!port.hostPort) return
      const key = `${port.protocol ?? ''}/${port.hostIP ?? ''}/${port.hostPort}`
      if (seen.has(key)) errors.push(duplicate(path.index(i).child('ports').index(j).child('hostPort'), key))
      seen.add(key)
    })
  })
}

export function checkContainers(containers: readonly ApiStruct[], path: FieldPath, context: ContainerContext, errors: Errors): void {
  if (containers.length === 0) return void errors.push(required(path))
  const names = new Set<string>()
  containers.forEach((container, i) => {
    const at = path.index(i)
    const name: string = container.name ?? ''
    checkContainer(container, at, context, errors)
    if (names.has(name)) errors.push(duplicate(at.child('name'), name))
    names.add(name)
    if (container.lifecycle) checkLifecycle(container.lifecycle, context.grace, at.child('lifecycle'), errors)
    checkProbes(container, context.grace, at, errors)
    if (container.restartPolicy !== undefined) errors.push(forbidden(at.child('restartPolicy'), 'may not be set for non-init containers'))
  })
  checkHostPorts(containers, path, errors)
}

const ONLY_SIDECARS = 'may not be set for init containers without restartPolicy=Always'

export function checkInitContainers(spec: ApiStruct, path: FieldPath, context: ContainerContext, errors: Errors): void {
  const containers: ApiStruct[] = spec.initContainers
  const names = new Set<string>((spec.containers ?? []).map((container: ApiStruct) => container.name ?? ''))
  containers.forEach((container, i) => {
    const at = path.index(i)
    const name: string = container.name ?? ''
    checkContainer(container, at, context, errors)
    const restart: string | undefined = container.restartPolicy
    if (restart !== undefined && restart !== 'Always') errors.push(notSupported(at.child('restartPolicy'), restart, ['Always']))
    if (names.has(name)) errors.push(duplicate(at.child('name'), name))
    else if (name !== '') names.add(name)
    // They run one by one, so ports need to differ only within one; the path is that of a list of one.
    checkHostPorts([container], path, errors)
    if (isSidecar(container)) {
      if (container.lifecycle) checkLifecycle(container.lifecycle, context.grace, at.child('lifecycle'), errors)
      checkProbes(container, context.grace, at, errors)
    } else {
      for (const field of ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe']) {
        if (container[field]) errors.push(forbidden(at.child(field), ONLY_SIDECARS))
      }
    }
  })
}

const NOT_EPHEMERAL = ['ports', 'resources', 'resizePolicy', 'restartPolicy', 'livenessProbe', 'readinessProbe', 'startupProbe', 'lifecycle']
const REFUSED = 'cannot be set for an Ephemeral Container'
const isSet = (value: unknown): boolean => value !== undefined && !(typeof value === 'object' && value !== null && Object.keys(value).length === 0)

export function checkEphemeralContainers(spec: ApiStruct, path: FieldPath, context: ContainerContext, errors: Errors): void {
  const containers: ApiStruct[] = spec.ephemeralContainers
  const others = new Set<string>([...(spec.containers ?? []), ...(spec.initContainers ?? [])].map((container: ApiStruct) => container.name ?? ''))
  const names = new Set(others)
  containers.forEach((container, i) => {
    const at = path.index(i)
    const name: string = container.name ?? ''
    checkContainer(container, at, context, errors)
    checkImageTrimmed(container, at, errors)
    if (names.has(name)) errors.push(duplicate(at.child('name'), name))
    names.add(name)
    const target = container.targetContainerName
    if (target && !others.has(target)) errors.push(notFound(at.child('targetContainerName'), target))
    for (const field of NOT_EPHEMERAL) {
      const given = field === 'ports' || field === 'resources' || field === 'resizePolicy' ? isSet(container[field]) : container[field] !== undefined
      if (given) errors.push(forbidden(at.child(field), REFUSED))
    }
    const mounts: ApiStruct[] = container.volumeMounts ?? []
    mounts.forEach((mount, j) => {
      for (const field of ['subPath', 'subPathExpr']) {
        if (mount[field]) errors.push(forbidden(at.child('volumeMounts').index(j).child(field), REFUSED))
      }
    })
  })
}

/** Of pods only: templates with a padded image were always let in. */
export function checkImageTrimmed(container: ApiStruct, path: FieldPath, errors: Errors): void {
  const image: string = container.image ?? ''
  if (image.trim() !== image) errors.push(invalid(path.child('image'), image, 'must not have leading or trailing whitespace'))
}
