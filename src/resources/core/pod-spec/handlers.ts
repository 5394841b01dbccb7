import type { Container, HTTPGetAction, Lifecycle, LifecycleHandler, Probe, ProbeHandler } from '../../../api/core/v1.types.ts'
import type { Int64, IntOrString } from '../../../api/meta/object.ts'
import { enumValues } from '../../../catalog/types.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { forbidden, invalid, notSupported, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { isHttpHeaderName, isValidPortName, isValidPortNum } from '../../../meta/names.ts'
import { validateNonNegative } from '../../../meta/object-meta-validation.ts'

const SCHEMES = enumValues('core.URIScheme')

/** Validates a port in IntOrString form: a port number or a port name. */
export function validatePortNumberOrName(port: IntOrString, path: FieldPath): FieldError[] {
  const texts = typeof port === 'string' ? isValidPortName(port) : isValidPortNum(port)
  return texts.map(text => invalid(path, port, text))
}

function validateHttpGet(action: HTTPGetAction, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  if (!action.path) errors.push(required(path.child('path')))
  errors.push(...validatePortNumberOrName(action.port, path.child('port')))
  const { scheme = '' } = action
  if (!SCHEMES.includes(scheme)) errors.push(notSupported(path.child('scheme'), scheme, SCHEMES))
  for (const { name } of action.httpHeaders ?? [])
    for (const text of isHttpHeaderName(name)) errors.push(invalid(path.child('httpHeaders'), name, text))
  return errors
}

/** Properties of the pod that the validation of handlers needs. */
export interface HandlerContext {
  /** terminationGracePeriodSeconds of the pod. Undefined if it is missing, which is reported elsewhere. */
  readonly grace: Int64 | undefined
  /** `os.name` of the pod, if set. */
  readonly os: string | undefined
  readonly options: { readonly allowZeroSleep: boolean }
}

type Handler = LifecycleHandler & ProbeHandler

const GRPC_MODES = enumValues('core.GRPCProbeMode')
const HTTP_PROTOCOLS = enumValues('core.HTTPProtocol')
/** Actions in the order in which upstream checks them. If there are two, the later one is rejected. */
const ACTIONS = ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'] as const

/** Checks that a handler has exactly one action. If there are several, only the first is validated. */
function validateHandler(handler: Handler, context: HandlerContext, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  let count = 0
  for (const kind of ACTIONS) {
    if (!handler[kind]) continue
    if (count++ > 0) errors.push(forbidden(path.child(kind), 'may not specify more than 1 handler type'))
    else errors.push(...validateAction(handler, context, path.child(kind)))
  }
  if (count === 0) errors.push(required(path, 'must specify a handler type'))
  return errors
}

/** Validates an optional value of an enum. */
const validateMember = (value: string | undefined, known: readonly string[], path: FieldPath): FieldError[] =>
  value === undefined || known.includes(value) ? [] : [notSupported(path, value, known)]

/** Validates the first action of a handler. */
function validateAction({ exec, httpGet, tcpSocket, grpc, sleep }: Handler, context: HandlerContext, path: FieldPath): FieldError[] {
  if (exec) return exec.command?.length ? [] : [required(path.child('command'))]
  if (httpGet) return [...validateHttpGet(httpGet, path), ...validateMember(httpGet.protocol, HTTP_PROTOCOLS, path.child('protocol'))]
  if (tcpSocket) return validatePortNumberOrName(tcpSocket.port, path.child('port'))
  if (grpc)
    return [...validatePortNumberOrName(grpc.port, path.child('port')), ...validateMember(grpc.mode, GRPC_MODES, path.child('mode'))]
  return sleep ? validateSleep(sleep.seconds, context, path) : []
}

/** Checks the seconds of a sleep, at most the pod’s grace period. Skipped without a grace period. */
function validateSleep(seconds: Int64, { grace, options }: HandlerContext, path: FieldPath): FieldError[] {
  if (grace === undefined || (seconds >= (options.allowZeroSleep ? 0 : 1) && seconds <= grace)) return []
  const text = options.allowZeroSleep
    ? `must be non-negative and less than terminationGracePeriodSeconds (${grace})`
    : `must be greater than 0 and less than terminationGracePeriodSeconds (${grace}). Enable AllowPodLifecycleSleepActionZeroValue feature gate for zero sleep.`
  return [invalid(path, seconds, text)]
}

/** Validates lifecycle hooks. Each has exactly one handler. A stop signal requires `os.name`. */
export function validateLifecycle(lifecycle: Lifecycle, context: HandlerContext, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  if (lifecycle.postStart) errors.push(...validateHandler(lifecycle.postStart, context, path.child('postStart')))
  if (lifecycle.preStop) errors.push(...validateHandler(lifecycle.preStop, context, path.child('preStop')))
  if (lifecycle.stopSignal !== undefined) errors.push(...validateStopSignal(lifecycle.stopSignal, context.os, path.child('stopSignal')))
  return errors
}

const WINDOWS_SIGNALS = ['SIGKILL', 'SIGTERM']
const LINUX_SIGNALS = [
  ...[
    'SIGABRT',
    'SIGALRM',
    'SIGBUS',
    'SIGCHLD',
    'SIGCLD',
    'SIGCONT',
    'SIGFPE',
    'SIGHUP',
    'SIGILL',
    'SIGINT',
    'SIGIO',
    'SIGIOT',
    'SIGKILL',
    'SIGPIPE',
    'SIGPOLL',
  ],
  ...[
    'SIGPROF',
    'SIGPWR',
    'SIGQUIT',
    'SIGSEGV',
    'SIGSTKFLT',
    'SIGSTOP',
    'SIGSYS',
    'SIGTERM',
    'SIGTRAP',
    'SIGTSTP',
    'SIGTTIN',
    'SIGTTOU',
    'SIGURG',
    'SIGUSR1',
  ],
  ...['SIGUSR2', 'SIGVTALRM', 'SIGWINCH', 'SIGXCPU', 'SIGXFSZ', 'SIGRTMIN', 'SIGRTMAX'],
  ...Array.from({ length: 15 }, (_, i) => `SIGRTMIN+${i + 1}`),
  ...Array.from({ length: 14 }, (_, i) => `SIGRTMAX-${i + 1}`),
].sort()

/** Checks that the signal exists on the operating system. An unknown operating system is reported elsewhere. */
function validateStopSignal(signal: string, os: string | undefined, path: FieldPath): FieldError[] {
  if (os === undefined) return [forbidden(path, 'may not be set for containers with empty `spec.os.name`')]
  const known = os === 'windows' ? WINDOWS_SIGNALS : os === 'linux' ? LINUX_SIGNALS : [signal]
  return known.includes(signal) ? [] : [notSupported(path, signal, known)]
}

/**
 * Checks rules that all probes share. All numbers may be zero except terminationGracePeriodSeconds. validateProbes adds
 * the rules of each kind of probe.
 */
function validateProbe(probe: Probe, context: HandlerContext, path: FieldPath): FieldError[] {
  const errors = validateHandler(probe, context, path)
  for (const field of ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'] as const) {
    errors.push(...validateNonNegative(probe[field], path.child(field)))
  }
  if (probe.terminationGracePeriodSeconds !== undefined && probe.terminationGracePeriodSeconds <= 0) {
    errors.push(invalid(path.child('terminationGracePeriodSeconds'), probe.terminationGracePeriodSeconds, 'must be greater than 0'))
  }
  return errors
}

/**
 * Validates the probes of a container. Only a readiness probe may have a successThreshold above 1; only the others may
 * have a grace period of their own. Source: pkg/apis/core/validation in k8s.io/kubernetes.
 */
export function validateProbes(container: Container, context: HandlerContext, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  for (const kind of ['livenessProbe', 'readinessProbe', 'startupProbe'] as const) {
    const probe = container[kind]
    if (!probe) continue
    const at = path.child(kind)
    errors.push(...validateProbe(probe, context, at))
    if (kind === 'readinessProbe') {
      if (probe.terminationGracePeriodSeconds !== undefined) {
        errors.push(
          invalid(at.child('terminationGracePeriodSeconds'), probe.terminationGracePeriodSeconds, 'must not be set for readinessProbes'),
        )
      }
    } else if (probe.successThreshold !== 1) errors.push(invalid(at.child('successThreshold'), probe.successThreshold ?? 0, 'must be 1'))
  }
  return errors
}
