import type { FieldError } from '../../../meta/field-error.ts'
import { forbidden, invalid, notSupported, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { isHttpHeaderName, isValidPortName, isValidPortNum } from '../../../meta/names.ts'
import type { Int64, IntOrString } from '../../../meta/object.ts'
import { validateNonNegative } from '../../../meta/object-meta-validation.ts'
import type { Container, HTTPGetAction, Lifecycle, LifecycleHandler, Probe, ProbeHandler } from '../v1.types.ts'

const SCHEMES = ['HTTP', 'HTTPS']

/** An IntOrString that is a port: a number of one, or its name. */
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
  for (const { name } of action.httpHeaders ?? []) for (const text of isHttpHeaderName(name)) errors.push(invalid(path.child('httpHeaders'), name, text))
  return errors
}

type Handler = LifecycleHandler & ProbeHandler

/** In the order in which upstream looks: of two, the later one is refused. */
const ACTIONS = ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'] as const

/** `grace`: the pod's, undefined where it is missing, which is reported elsewhere. */
function validateHandler(handler: Handler, grace: Int64 | undefined, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  let count = 0
  for (const kind of ACTIONS) {
    if (!handler[kind]) continue
    if (count++ > 0) errors.push(forbidden(path.child(kind), 'may not specify more than 1 handler type'))
    else errors.push(...validateAction(handler, grace, path.child(kind)))
  }
  if (count === 0) errors.push(required(path, 'must specify a handler type'))
  return errors
}

/** The first action of a handler. */
function validateAction({ exec, httpGet, tcpSocket, grpc, sleep }: Handler, grace: Int64 | undefined, path: FieldPath): FieldError[] {
  if (exec) return exec.command?.length ? [] : [required(path.child('command'))]
  if (httpGet) return validateHttpGet(httpGet, path)
  if (tcpSocket) return validatePortNumberOrName(tcpSocket.port, path.child('port'))
  if (grpc) return validatePortNumberOrName(grpc.port, path.child('port'))
  return sleep ? validateSleep(sleep.seconds, grace, path) : []
}

function validateSleep(seconds: Int64, grace: Int64 | undefined, path: FieldPath): FieldError[] {
  if (grace === undefined || (seconds >= 0 && seconds <= grace)) return []
  return [invalid(path, seconds, `must be non-negative and less than terminationGracePeriodSeconds (${grace})`)]
}

export function validateLifecycle(lifecycle: Lifecycle, grace: Int64 | undefined, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  if (lifecycle.postStart) errors.push(...validateHandler(lifecycle.postStart, grace, path.child('postStart')))
  if (lifecycle.preStop) errors.push(...validateHandler(lifecycle.preStop, grace, path.child('preStop')))
  return errors
}

function validateProbe(probe: Probe, grace: Int64 | undefined, path: FieldPath): FieldError[] {
  const errors = validateHandler(probe, grace, path)
  for (const field of ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'] as const) {
    errors.push(...validateNonNegative(probe[field], path.child(field)))
  }
  if (probe.terminationGracePeriodSeconds !== undefined && probe.terminationGracePeriodSeconds <= 0) {
    errors.push(invalid(path.child('terminationGracePeriodSeconds'), probe.terminationGracePeriodSeconds, 'must be greater than 0'))
  }
  return errors
}

/** The three probes of a container. */
export function validateProbes(container: Container, grace: Int64 | undefined, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  for (const kind of ['livenessProbe', 'readinessProbe', 'startupProbe'] as const) {
    const probe = container[kind]
    if (!probe) continue
    const at = path.child(kind)
    errors.push(...validateProbe(probe, grace, at))
    if (kind === 'readinessProbe') {
      if (probe.terminationGracePeriodSeconds !== undefined) {
        errors.push(invalid(at.child('terminationGracePeriodSeconds'), probe.terminationGracePeriodSeconds, 'must not be set for readinessProbes'))
      }
    } else if (probe.successThreshold !== 1) errors.push(invalid(at.child('successThreshold'), probe.successThreshold ?? 0, 'must be 1'))
  }
  return errors
}
