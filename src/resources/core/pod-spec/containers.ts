import { isSince, type Release } from '../../../lifecycle/release.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { duplicate, forbidden, invalid, notFound, notSupported, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { isValidPortName, isValidPortNum } from '../../../meta/names.ts'
import type { Int64 } from '../../../meta/object.ts'
import { goStringer } from '../../shared/go-syntax.ts'
import { goMember } from '../../shared/go-values.ts'
import { validateDnsLabel } from '../checks.ts'
import type { Container, ContainerPort, ContainerResizePolicy, EphemeralContainer, PodSpec } from '../v1.types.ts'
import type { VolumesByName } from '../volume/validation.ts'
import { validateEnv, validateEnvFrom } from './environment.ts'
import { validateLifecycle, validateProbes } from './handlers.ts'
import { validateDevices, validateMounts } from './mounts.ts'
import type { PodValidationOptions } from './options.ts'
import { validateResources } from './resources.ts'
import { validateInitRestart, validateRestart } from './restart-rules.ts'
import { validateSecurityContext } from './security-context.ts'
import { isSidecar } from './visit.ts'

/** What the containers of a spec have in common. */
export interface ContainerContext {
  readonly volumes: VolumesByName
  readonly claimNames: ReadonlySet<string>
  /** terminationGracePeriodSeconds of the spec; undefined where it is missing. */
  readonly grace: Int64 | undefined
  readonly restartPolicy: string
  /** Name of the operating system, where the spec says one. */
  readonly os: string | undefined
  /** /proc stays masked: the pod runs in the host's user namespace. */
  readonly keepsProcMasked: boolean
  readonly options: PodValidationOptions
}

const MESSAGE_POLICIES = ['File', 'FallbackToLogsOnError']
const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never']
const PROTOCOLS = ['SCTP', 'TCP', 'UDP']

/** Names are distinct within one container. A containerPort of 0 counts as missing, a hostPort of 0 as none. */
function validatePorts(ports: readonly ContainerPort[], path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  const names = new Set<string>()
  ports.forEach((port, i) => {
    const at = path.index(i)
    const { name } = port
    if (name) {
      const texts = isValidPortName(name)
      if (texts.length > 0) for (const text of texts) errors.push(invalid(at.child('name'), name, text))
      else if (names.has(name)) errors.push(duplicate(at.child('name'), name))
      else names.add(name)
    }
    if (!port.containerPort) errors.push(required(at.child('containerPort')))
    else for (const text of isValidPortNum(port.containerPort)) errors.push(invalid(at.child('containerPort'), port.containerPort, text))
    if (port.hostPort) for (const text of isValidPortNum(port.hostPort)) errors.push(invalid(at.child('hostPort'), port.hostPort, text))
    if (!port.protocol) errors.push(required(at.child('protocol')))
    else if (!PROTOCOLS.includes(port.protocol)) errors.push(notSupported(at.child('protocol'), port.protocol, PROTOCOLS))
  })
  return errors
}

const RESIZABLE = ['cpu', 'memory']
const RESIZE_POLICIES = ['NotRequired', 'RestartContainer']

/** `restartPolicy`: the pod’s. Errors are at the list, except for duplicates, which are at the element. */
function validateResizePolicies(policies: readonly ContainerResizePolicy[], path: FieldPath, restartPolicy: string, release: Release): FieldError[] {
  const errors: FieldError[] = []
  const seen = new Set<string>()
  const oneOf = (value: string, values: readonly string[]): void => {
    if (value === '') errors.push(required(path))
    else if (!values.includes(value)) errors.push(notSupported(path, values === RESIZABLE ? goStringer(value) : value, values))
  }
  policies.forEach((policy, i) => {
    const { resourceName: resource, restartPolicy: restart } = policy
    if (seen.has(resource)) errors.push(duplicate(path.index(i), goStringer(resource)))
    seen.add(resource)
    oneOf(resource, RESIZABLE)
    oneOf(restart, RESIZE_POLICIES)
    if (restartPolicy === 'Never' && restart !== 'NotRequired') {
      errors.push(invalid(path, restart, `must be 'NotRequired' when ${isSince(release, '1.36') ? 'pod ' : ''}\`restartPolicy\` is 'Never'`))
    }
  })
  return errors
}

/** What every container must be, whatever list it stands in. Lifecycle, probes and restartPolicy depend on the list: callers check them. */
function validateContainer(container: Container, path: FieldPath, context: ContainerContext): FieldError[] {
  const errors: FieldError[] = []
  if (!container.name) errors.push(required(path.child('name')))
  else errors.push(...validateDnsLabel(container.name, path.child('name')))
  if (!container.image) errors.push(required(path.child('image')))
  const policy = container.terminationMessagePolicy
  if (!policy) errors.push(required(path.child('terminationMessagePolicy')))
  else if (!MESSAGE_POLICIES.includes(policy)) errors.push(notSupported(path.child('terminationMessagePolicy'), policy, MESSAGE_POLICIES))
  if (container.ports) errors.push(...validatePorts(container.ports, path.child('ports')))
  if (container.env) errors.push(...validateEnv(container.env, path.child('env'), context.options))
  if (container.envFrom) errors.push(...validateEnvFrom(container.envFrom, path.child('envFrom'), context.options))
  if (container.volumeMounts) errors.push(...validateMounts(container, context.volumes, path.child('volumeMounts'), context.options))
  if (container.volumeDevices) errors.push(...validateDevices(container, context.volumes, path.child('volumeDevices')))
  const pull = container.imagePullPolicy
  if (!pull) errors.push(required(path.child('imagePullPolicy')))
  else if (!PULL_POLICIES.includes(pull)) errors.push(notSupported(path.child('imagePullPolicy'), pull, PULL_POLICIES))
  errors.push(...validateResources(container.resources, context.claimNames, path.child('resources'), context.options))
  // Before 1.29 containers of pods that never restart may be restarted to be resized.
  const restartPolicy = isSince(context.options.release, '1.29') ? context.restartPolicy : ''
  if (container.resizePolicy) errors.push(...validateResizePolicies(container.resizePolicy, path.child('resizePolicy'), restartPolicy, context.options.release))
  if (container.securityContext) errors.push(...validateSecurityContext(container.securityContext, context.keepsProcMasked, path.child('securityContext')))
  return errors
}

/** Each host port once, by protocol and host address. `path`: that of the list. */
function validateHostPorts(containers: readonly Container[], path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  const seen = new Set<string>()
  containers.forEach((container, i) => {
    container.ports?.forEach((port, j) => {
      if (!port.hostPort) return
      const key = `${port.protocol}/${port.hostIP ?? ''}/${port.hostPort}`
      if (seen.has(key)) errors.push(duplicate(path.index(i).child('ports').index(j).child('hostPort'), key))
      seen.add(key)
    })
  })
  return errors
}

/**
 * Names are distinct, and at least one container is there: an empty list is the only error then.
 * Source: pkg/apis/core/validation in k8s.io/kubernetes.
 */
export function validateContainers(containers: readonly Container[], path: FieldPath, context: ContainerContext): FieldError[] {
  if (containers.length === 0) return [required(path)]
  const errors: FieldError[] = []
  const names = new Set<string>()
  containers.forEach((container, i) => {
    const at = path.index(i)
    const { name } = container
    errors.push(...validateContainer(container, at, context))
    if (names.has(name)) errors.push(duplicate(at.child('name'), name))
    names.add(name)
    if (container.lifecycle) errors.push(...validateLifecycle(container.lifecycle, context, at.child('lifecycle')))
    errors.push(...validateProbes(container, context, at))
    errors.push(...validateRestart(container, at, context.options))
  })
  errors.push(...validateHostPorts(containers, path))
  return errors
}

const onlySidecars = (release: Release): string => `may not be set for init containers${isSince(release, '1.28') ? ' without restartPolicy=Always' : ''}`

/**
 * Only sidecars, which restart always, may have probes and lifecycle hooks.
 * Names differ from those of `containers`, too; a collision is reported here.
 * Source: pkg/apis/core/validation in k8s.io/kubernetes.
 */
export function validateInitContainers(containers: readonly Container[], spec: PodSpec, path: FieldPath, context: ContainerContext): FieldError[] {
  const errors: FieldError[] = []
  const names = new Set((spec.containers ?? []).map(container => container.name))
  containers.forEach((container, i) => {
    const at = path.index(i)
    const { name } = container
    errors.push(...validateContainer(container, at, context))
    errors.push(...validateInitRestart(container, at, context.options))
    if (names.has(name)) errors.push(duplicate(at.child('name'), name))
    else if (name !== '') names.add(name)
    // They run one by one, so ports need to differ only within one; the path is that of a list of one.
    errors.push(...validateHostPorts([container], path))
    if (isSidecar(container)) {
      if (container.lifecycle) errors.push(...validateLifecycle(container.lifecycle, context, at.child('lifecycle')))
      errors.push(...validateProbes(container, context, at))
    } else {
      for (const field of ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const) {
        if (container[field]) errors.push(forbidden(at.child(field), onlySidecars(context.options.release)))
      }
    }
    if (!context.options.allowSidecarResizePolicy && container.resizePolicy?.length) {
      errors.push(invalid(at.child('resizePolicy'), goMember('core.Container', 'resizePolicy', container.resizePolicy), 'must not be set for init containers'))
    }
    if (!isSidecar(container) && !context.options.allowInitResizeRestart)
      errors.push(...validateNoRestart(container.resizePolicy ?? [], at.child('resizePolicy')))
  })
  return errors
}

/** An init container that has ended cannot be restarted to resize it. */
const validateNoRestart = (policies: readonly ContainerResizePolicy[], path: FieldPath): FieldError[] =>
  policies.flatMap(({ restartPolicy }, i) =>
    restartPolicy === 'RestartContainer'
      ? [invalid(path.index(i).child('restartPolicy'), restartPolicy, "must not be set to 'RestartContainer' for non-sidecar initContainers")]
      : [],
  )

const NOT_EPHEMERAL = [
  'ports',
  'resources',
  'resizePolicy',
  'restartPolicy',
  'restartPolicyRules',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
] as const
const REFUSED = 'cannot be set for an Ephemeral Container'
/** `resources` is always there in memory, and a list may be empty: neither counts as given. */
const isSet = (value: unknown): boolean => value !== undefined && !(typeof value === 'object' && value !== null && Object.keys(value).length === 0)

/**
 * They have neither ports, nor probes, nor resources. Names differ from those of all other containers.
 * The target is a container or an init container of the pod, never an ephemeral one.
 * Source: pkg/apis/core/validation in k8s.io/kubernetes.
 */
export function validateEphemeralContainers(
  containers: readonly EphemeralContainer[],
  spec: PodSpec,
  path: FieldPath,
  context: ContainerContext,
): FieldError[] {
  const errors: FieldError[] = []
  const others = new Set([...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(container => container.name))
  const names = new Set(others)
  containers.forEach((container, i) => {
    const at = path.index(i)
    const { name } = container
    errors.push(...validateContainer(container, at, context))
    errors.push(...validateImageTrimmed(container, at))
    if (names.has(name)) errors.push(duplicate(at.child('name'), name))
    names.add(name)
    const target = container.targetContainerName
    if (target && !others.has(target)) errors.push(notFound(at.child('targetContainerName'), target))
    for (const field of NOT_EPHEMERAL) {
      const given =
        field === 'ports' || field === 'resources' || field === 'resizePolicy' || field === 'restartPolicyRules'
          ? isSet(container[field])
          : container[field] !== undefined
      if (given) errors.push(forbidden(at.child(field), REFUSED))
    }
    container.volumeMounts?.forEach((mount, j) => {
      for (const field of ['subPath', 'subPathExpr'] as const) {
        if (mount[field]) errors.push(forbidden(at.child('volumeMounts').index(j).child(field), REFUSED))
      }
    })
  })
  return errors
}

/** Of pods only: templates with a padded image were always let in. */
export function validateImageTrimmed(container: Container, path: FieldPath): FieldError[] {
  const { image = '' } = container
  return image.trim() !== image ? [invalid(path.child('image'), image, 'must not have leading or trailing whitespace')] : []
}
