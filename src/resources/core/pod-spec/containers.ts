import type { Container, ContainerPort, ContainerResizePolicy, EphemeralContainer, PodSpec } from '../../../api/core/v1.types.ts'
import type { Int64 } from '../../../api/meta/object.ts'
import { enumValues } from '../../../catalog/types.ts'
import { isLongStepDone, isStepDone, type Steps } from '../../../lib/steps.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { duplicate, forbidden, invalid, notFound, notSupported, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { isValidPortName, isValidPortNum } from '../../../meta/names.ts'
import { goStringer } from '../../shared/go-syntax.ts'
import { goMember } from '../../shared/go-values.ts'
import { validateDnsLabel } from '../checks.ts'
import type { VolumesByName } from '../volume/validation.ts'
import { validateEnv, validateEnvFrom } from './environment.ts'
import { validateLifecycle, validateProbes } from './handlers.ts'
import { validateDevices, validateMounts } from './mounts.ts'
import type { PodValidationOptions } from './options.ts'
import { resourceErrors } from './resources.ts'
import { validateInitRestart, validateRestart } from './restart-rules.ts'
import { validateSecurityContext } from './security-context.ts'
import { isSidecar } from './visit.ts'

/** Properties of the pod that the validation of its containers needs. */
export interface ContainerContext {
  readonly volumes: VolumesByName
  readonly claimNames: ReadonlySet<string>
  /** terminationGracePeriodSeconds of the spec. Undefined if it is missing. */
  readonly grace: Int64 | undefined
  readonly restartPolicy: string
  /** `os.name` of the spec, if set. */
  readonly os: string | undefined
  /** Whether /proc must stay masked, because the pod runs in the host's user namespace. */
  readonly keepsProcMasked: boolean
  readonly options: PodValidationOptions
}

const MESSAGE_POLICIES = enumValues('core.TerminationMessagePolicy', 'File')
const PULL_POLICIES = enumValues('core.PullPolicy')
const PROTOCOLS = enumValues('core.Protocol')

/**
 * Validates the ports of a container in steps, whose names must be unique. A containerPort of 0 counts as missing, a
 * hostPort of 0 as unset.
 */
function* validatePorts(ports: readonly ContainerPort[], path: FieldPath): Steps<FieldError[]> {
  const errors: FieldError[] = []
  const names = new Set<string>()
  for (const [i, port] of ports.entries()) {
    if (isLongStepDone()) yield
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
  }
  return errors
}

const RESIZABLE = ['cpu', 'memory']
const RESIZE_POLICIES = ['NotRequired', 'RestartContainer']

/**
 * Validates resize policies. `restartPolicy` is that of the pod. Errors are reported for the list, except for
 * duplicates, which are reported for the element.
 */
function validateResizePolicies(
  policies: readonly ContainerResizePolicy[],
  path: FieldPath,
  restartPolicy: string,
  release: Release,
): FieldError[] {
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
      errors.push(
        invalid(path, restart, `must be 'NotRequired' when ${isSince(release, '1.36') ? 'pod ' : ''}\`restartPolicy\` is 'Never'`),
      )
    }
  })
  return errors
}

/**
 * Checks the rules that containers of every list share. Lifecycle, probes and restartPolicy depend on the list and are
 * checked by the callers.
 */
function* validateContainer(container: Container, path: FieldPath, context: ContainerContext): Steps<FieldError[]> {
  const errors: FieldError[] = []
  if (!container.name) errors.push(required(path.child('name')))
  else errors.push(...validateDnsLabel(container.name, path.child('name')))
  if (!container.image) errors.push(required(path.child('image')))
  const policy = container.terminationMessagePolicy
  if (!policy) errors.push(required(path.child('terminationMessagePolicy')))
  else if (!MESSAGE_POLICIES.includes(policy)) errors.push(notSupported(path.child('terminationMessagePolicy'), policy, MESSAGE_POLICIES))
  if (container.ports) errors.push(...(yield* validatePorts(container.ports, path.child('ports'))))
  if (container.env) errors.push(...(yield* validateEnv(container.env, path.child('env'), context.options)))
  if (container.envFrom) errors.push(...(yield* validateEnvFrom(container.envFrom, path.child('envFrom'), context.options)))
  if (container.volumeMounts)
    errors.push(...(yield* validateMounts(container, context.volumes, path.child('volumeMounts'), context.options)))
  if (container.volumeDevices) errors.push(...(yield* validateDevices(container, context.volumes, path.child('volumeDevices'))))
  const pull = container.imagePullPolicy
  if (!pull) errors.push(required(path.child('imagePullPolicy')))
  else if (!PULL_POLICIES.includes(pull)) errors.push(notSupported(path.child('imagePullPolicy'), pull, PULL_POLICIES))
  errors.push(...(yield* resourceErrors(container.resources, context.claimNames, path.child('resources'), context.options)))
  // Before 1.29 a pod that never restarts may have containers that restart for a resize.
  const restartPolicy = isSince(context.options.release, '1.29') ? context.restartPolicy : ''
  if (container.resizePolicy)
    errors.push(...validateResizePolicies(container.resizePolicy, path.child('resizePolicy'), restartPolicy, context.options.release))
  if (container.securityContext)
    errors.push(...validateSecurityContext(container.securityContext, context.keepsProcMasked, path.child('securityContext')))
  return errors
}

/** Checks in steps that each host port is used once for a protocol and host address. `path` is the path of the list. */
function* validateHostPorts(containers: readonly Container[], path: FieldPath): Steps<FieldError[]> {
  const errors: FieldError[] = []
  const seen = new Set<string>()
  for (const [i, container] of containers.entries())
    for (const [j, port] of (container.ports ?? []).entries()) {
      if (isStepDone()) yield
      if (!port.hostPort) continue
      const key = `${port.protocol}/${port.hostIP ?? ''}/${port.hostPort}`
      if (seen.has(key)) errors.push(duplicate(path.index(i).child('ports').index(j).child('hostPort'), key))
      seen.add(key)
    }
  return errors
}

/**
 * Validates the containers of a pod. Names must be unique. For an empty list, that is the only error.
 * Source: pkg/apis/core/validation in k8s.io/kubernetes.
 */
export function* validateContainers(containers: readonly Container[], path: FieldPath, context: ContainerContext): Steps<FieldError[]> {
  if (containers.length === 0) return [required(path)]
  const errors: FieldError[] = []
  const names = new Set<string>()
  for (const [i, container] of containers.entries()) {
    if (isLongStepDone()) yield
    const at = path.index(i)
    const { name } = container
    errors.push(...(yield* validateContainer(container, at, context)))
    if (names.has(name)) errors.push(duplicate(at.child('name'), name))
    names.add(name)
    if (container.lifecycle) errors.push(...validateLifecycle(container.lifecycle, context, at.child('lifecycle')))
    errors.push(...validateProbes(container, context, at))
    errors.push(...validateRestart(container, at, context.options))
  }
  errors.push(...(yield* validateHostPorts(containers, path)))
  return errors
}

const onlySidecars = (release: Release): string =>
  `may not be set for init containers${isSince(release, '1.28') ? ' without restartPolicy=Always' : ''}`

/**
 * Validates init containers. Only sidecars, whose restartPolicy is Always, may have probes and lifecycle hooks. A name
 * that a container of `containers` has is reported here. Source: pkg/apis/core/validation in k8s.io/kubernetes.
 */
export function* validateInitContainers(
  containers: readonly Container[],
  spec: PodSpec,
  path: FieldPath,
  context: ContainerContext,
): Steps<FieldError[]> {
  const errors: FieldError[] = []
  const names = new Set((spec.containers ?? []).map(container => container.name))
  for (const [i, container] of containers.entries()) {
    if (isLongStepDone()) yield
    const at = path.index(i)
    const { name } = container
    errors.push(...(yield* validateContainer(container, at, context)))
    errors.push(...validateInitRestart(container, at, context.options))
    if (names.has(name)) errors.push(duplicate(at.child('name'), name))
    else if (name !== '') names.add(name)
    // Init containers run one by one, so ports must be unique only within each. The path is that of a list of one.
    errors.push(...(yield* validateHostPorts([container], path)))
    if (isSidecar(container)) {
      if (container.lifecycle) errors.push(...validateLifecycle(container.lifecycle, context, at.child('lifecycle')))
      errors.push(...validateProbes(container, context, at))
    } else {
      for (const field of ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const) {
        if (container[field]) errors.push(forbidden(at.child(field), onlySidecars(context.options.release)))
      }
    }
    if (!context.options.allowSidecarResizePolicy && container.resizePolicy?.length) {
      errors.push(
        invalid(
          at.child('resizePolicy'),
          goMember('core.Container', 'resizePolicy', container.resizePolicy),
          'must not be set for init containers',
        ),
      )
    }
    if (!isSidecar(container) && !context.options.allowInitResizeRestart)
      errors.push(...validateNoRestart(container.resizePolicy ?? [], at.child('resizePolicy')))
  }
  return errors
}

/** An init container that has completed cannot be restarted for a resize. */
const validateNoRestart = (policies: readonly ContainerResizePolicy[], path: FieldPath): FieldError[] =>
  policies.flatMap(({ restartPolicy }, i) =>
    restartPolicy === 'RestartContainer'
      ? [
          invalid(
            path.index(i).child('restartPolicy'),
            restartPolicy,
            "must not be set to 'RestartContainer' for non-sidecar initContainers",
          ),
        ]
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
/**
 * Reports whether a field is set. `resources` is always present in memory, and lists may be empty: neither counts as
 * set.
 */
const isSet = (value: unknown): boolean =>
  value !== undefined && !(typeof value === 'object' && value !== null && Object.keys(value).length === 0)

/**
 * Validates ephemeral containers, which have no ports, probes or resources. Names must differ from those of all other
 * containers. The target is a container or init container of the pod, never an ephemeral one. Source:
 * pkg/apis/core/validation in k8s.io/kubernetes.
 */
export function* validateEphemeralContainers(
  containers: readonly EphemeralContainer[],
  spec: PodSpec,
  path: FieldPath,
  context: ContainerContext,
): Steps<FieldError[]> {
  const errors: FieldError[] = []
  const others = new Set([...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(container => container.name))
  const names = new Set(others)
  for (const [i, container] of containers.entries()) {
    if (isLongStepDone()) yield
    const at = path.index(i)
    const { name } = container
    errors.push(...(yield* validateContainer(container, at, context)))
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
  }
  return errors
}

/** Rejects an image with surrounding space, in pods only: templates with such an image have always been accepted. */
export function validateImageTrimmed(container: Container, path: FieldPath): FieldError[] {
  const { image = '' } = container
  return image.trim() !== image ? [invalid(path.child('image'), image, 'must not have leading or trailing whitespace')] : []
}
