import { forbidden, invalid, notSupported, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { isHttpHeaderName, isValidPortName, isValidPortNum } from '../../../meta/names.ts'
import type { ApiStruct, Errors } from '../checks.ts'
import { checkNonNegative, report } from '../checks.ts'

const SCHEMES = ['HTTP', 'HTTPS']

/** An IntOrString that is a port: a number of one, or its name. */
export function checkPortNumberOrName(port: number | string | undefined, path: FieldPath, errors: Errors): void {
  if (typeof port === 'string') report(isValidPortName(port), path, port, errors)
  else report(isValidPortNum(port ?? 0), path, port ?? 0, errors)
}

function checkHttpGet(action: ApiStruct, path: FieldPath, errors: Errors): void {
  if (!action.path) errors.push(required(path.child('path')))
  checkPortNumberOrName(action.port, path.child('port'), errors)
  if (!SCHEMES.includes(action.scheme)) errors.push(notSupported(path.child('scheme'), action.scheme ?? '', SCHEMES))
  for (const { name = '' } of action.httpHeaders ?? []) report(isHttpHeaderName(name), path.child('httpHeaders'), name, errors)
}

/** `grace`: the pod's, undefined where it is missing, which is told elsewhere. */
function checkHandler(handler: ApiStruct, kinds: readonly string[], grace: number | undefined, path: FieldPath, errors: Errors): void {
  let count = 0
  for (const kind of kinds) {
    const action = handler[kind]
    if (!action) continue
    const at = path.child(kind)
    if (count++ > 0) errors.push(forbidden(at, 'may not specify more than 1 handler type'))
    else if (kind === 'exec') {
      if (!action.command?.length) errors.push(required(at.child('command')))
    } else if (kind === 'httpGet') checkHttpGet(action, at, errors)
    else if (kind === 'sleep') checkSleep(action.seconds ?? 0, grace, at, errors)
    else checkPortNumberOrName(action.port, at.child('port'), errors)
  }
  if (count === 0) errors.push(required(path, 'must specify a handler type'))
}

function checkSleep(seconds: number, grace: number | undefined, path: FieldPath, errors: Errors): void {
  if (grace !== undefined && (seconds < 0 || seconds > grace)) {
    errors.push(invalid(path, seconds, `must be non-negative and less than terminationGracePeriodSeconds (${grace})`))
  }
}

const PROBE_KINDS = ['exec', 'httpGet', 'tcpSocket', 'grpc']
const LIFECYCLE_KINDS = ['exec', 'httpGet', 'tcpSocket', 'sleep']

export function checkLifecycle(lifecycle: ApiStruct, grace: number | undefined, path: FieldPath, errors: Errors): void {
  if (lifecycle.postStart) checkHandler(lifecycle.postStart, LIFECYCLE_KINDS, grace, path.child('postStart'), errors)
  if (lifecycle.preStop) checkHandler(lifecycle.preStop, LIFECYCLE_KINDS, grace, path.child('preStop'), errors)
}

function checkProbe(probe: ApiStruct, grace: number | undefined, path: FieldPath, errors: Errors): void {
  checkHandler(probe, PROBE_KINDS, grace, path, errors)
  for (const field of ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold']) {
    checkNonNegative(probe[field], path.child(field), errors)
  }
  if (probe.terminationGracePeriodSeconds !== undefined && probe.terminationGracePeriodSeconds <= 0) {
    errors.push(invalid(path.child('terminationGracePeriodSeconds'), probe.terminationGracePeriodSeconds, 'must be greater than 0'))
  }
}

/** The three probes of a container. */
export function checkProbes(container: ApiStruct, grace: number | undefined, path: FieldPath, errors: Errors): void {
  for (const kind of ['livenessProbe', 'readinessProbe', 'startupProbe']) {
    const probe = container[kind]
    if (!probe) continue
    const at = path.child(kind)
    checkProbe(probe, grace, at, errors)
    if (kind === 'readinessProbe') {
      if (probe.terminationGracePeriodSeconds !== undefined) {
        errors.push(invalid(at.child('terminationGracePeriodSeconds'), probe.terminationGracePeriodSeconds, 'must not be set for readinessProbes'))
      }
    } else if (probe.successThreshold !== 1) errors.push(invalid(at.child('successThreshold'), probe.successThreshold ?? 0, 'must be 1'))
  }
}
