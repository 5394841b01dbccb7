import type { APIService, APIServiceSpec, ServiceReference } from '../../../api/apiregistration/v1.types.ts'
import type { ObjectMeta } from '../../../api/meta/object.ts'
import { quote } from '../../../lib/go-quote.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { invalid, notSupported, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { isDns1035Label, isDns1123Subdomain, isValidPortNum, nameIsPathSegment } from '../../../meta/names.ts'

const MAX_GROUP_PRIORITY = 20_000
const MAX_VERSION_PRIORITY = 1000

/** Checks that the name is VERSION.GROUP, such as `v1.apps`, and `v1.` for the core group. */
function validateName({ name, generateName }: ObjectMeta, wanted: string): FieldError[] {
  const check = (text: string | undefined, path: FieldPath): FieldError[] => {
    if (!text) return []
    const faults = nameIsPathSegment(text, false)
    const texts = faults.length === 0 && text !== wanted ? [`must be \`spec.version+"."+spec.group\`: ${quote(wanted)}`] : faults
    return texts.map(fault => invalid(path, text, fault))
  }
  return [...check(generateName, fieldPath('metadata', 'generateName')), ...check(name, fieldPath('metadata', 'name'))]
}

/** Checks the range 1 to `max`, which is itself valid although the message says less than. */
const inRange = (value: number, max: number, path: FieldPath): FieldError[] =>
  value <= 0 || value > max ? [invalid(path, value, `must be positive and less than ${max}`)] : []

/** Rejects TLS settings of a version that is served locally. */
function validateLocal({ caBundle, insecureSkipTLSVerify }: APIServiceSpec, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  if (caBundle)
    errors.push(
      invalid(path.child('caBundle'), `${Buffer.byteLength(caBundle, 'base64')} bytes`, 'local APIServices may not have a caBundle'),
    )
  if (insecureSkipTLSVerify) {
    errors.push(invalid(path.child('insecureSkipTLSVerify'), true, 'local APIServices may not have insecureSkipTLSVerify'))
  }
  return errors
}

/** Checks namespace, name and port of the service, which need not exist. A CA bundle excludes insecureSkipTLSVerify. */
function validateRemote(service: ServiceReference, { caBundle, insecureSkipTLSVerify }: APIServiceSpec, path: FieldPath): FieldError[] {
  const { port = 0 } = service
  const at = path.child('service')
  const errors: FieldError[] = []
  if (!service.namespace) errors.push(required(at.child('namespace')))
  if (!service.name) errors.push(required(at.child('name')))
  const faults = isValidPortNum(port)
  if (faults.length > 0) errors.push(invalid(at.child('port'), port, `port is not valid: ${faults.join(', ')}`))
  if (insecureSkipTLSVerify && caBundle)
    errors.push(invalid(path.child('insecureSkipTLSVerify'), true, 'may not be true if caBundle is present'))
  return errors
}

/**
 * Validates an APIService. The name is that of version and group; only `v1` may have the empty group. Without a service
 * the version is served locally, and TLS settings are rejected. Source:
 * staging/src/k8s.io/kube-aggregator/pkg/apis/apiregistration/validation.
 */
export function validateApiService({ metadata, spec }: APIService): FieldError[] {
  const { group = '', version = '', service } = spec
  const path = fieldPath('spec')
  const errors = validateName(metadata, `${version}.${group}`)
  if (group === '') {
    if (version !== 'v1') errors.push(required(path.child('group'), 'only v1 may have an empty group and it better be legacy kube'))
  } else errors.push(...isDns1123Subdomain(group).map(text => invalid(path.child('group'), group, text)))
  errors.push(...isDns1035Label(version).map(text => invalid(path.child('version'), version, text)))
  errors.push(...inRange(spec.groupPriorityMinimum, MAX_GROUP_PRIORITY, path.child('groupPriorityMinimum')))
  errors.push(...inRange(spec.versionPriority, MAX_VERSION_PRIORITY, path.child('versionPriority')))
  return [...errors, ...(service ? validateRemote(service, spec, path) : validateLocal(spec, path))]
}

const STATUSES = ['True', 'False', 'Unknown']

/** Checks the status of conditions: True, False or Unknown. */
export function validateApiServiceStatus({ status }: APIService): FieldError[] {
  return (status.conditions ?? []).flatMap((condition, i) =>
    STATUSES.includes(condition.status)
      ? []
      : [notSupported(fieldPath('status', 'conditions').index(i).child('status'), condition.status, STATUSES)],
  )
}
