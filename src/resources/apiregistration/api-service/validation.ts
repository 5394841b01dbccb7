import { quote } from '../../../lib/go-quote.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { invalid, notSupported, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { isDns1035Label, isDns1123Subdomain, isValidPortNum, nameIsPathSegment } from '../../../meta/names.ts'
import type { KubeObject } from '../../../meta/object.ts'

type ApiStruct = KubeObject['spec']

const MAX_GROUP_PRIORITY = 20_000
const MAX_VERSION_PRIORITY = 1000

/** A name is that of the group version: `v1.apps`, and `v1.` for the core group. */
function validateName({ name, generateName }: KubeObject['metadata'], { group, version }: ApiStruct): FieldError[] {
  const wanted = `${version}.${group}`
  const check = (text: string | undefined, path: FieldPath): FieldError[] => {
    if (!text) return []
    const faults = nameIsPathSegment(text, false)
    const texts = faults.length === 0 && text !== wanted ? [`must be \`spec.version+"."+spec.group\`: ${quote(wanted)}`] : faults
    return texts.map(fault => invalid(path, text, fault))
  }
  return [...check(generateName, fieldPath('metadata', 'generateName')), ...check(name, fieldPath('metadata', 'name'))]
}

const inRange = (value: number, max: number, path: FieldPath): FieldError[] =>
  value <= 0 || value > max ? [invalid(path, value, `must be positive and less than ${max}`)] : []

function validateLocal({ caBundle, insecureSkipTLSVerify }: ApiStruct, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  if (caBundle) errors.push(invalid(path.child('caBundle'), `${Buffer.byteLength(caBundle, 'base64')} bytes`, 'local APIServices may not have a caBundle'))
  if (insecureSkipTLSVerify) {
    errors.push(invalid(path.child('insecureSkipTLSVerify'), true, 'local APIServices may not have insecureSkipTLSVerify'))
  }
  return errors
}

function validateRemote({ service, caBundle, insecureSkipTLSVerify }: ApiStruct, path: FieldPath): FieldError[] {
  const at = path.child('service')
  const errors: FieldError[] = []
  if (!service.namespace) errors.push(required(at.child('namespace')))
  if (!service.name) errors.push(required(at.child('name')))
  const faults = isValidPortNum(service.port)
  if (faults.length > 0) errors.push(invalid(at.child('port'), service.port, `port is not valid: ${faults.join(', ')}`))
  if (insecureSkipTLSVerify && caBundle) errors.push(invalid(path.child('insecureSkipTLSVerify'), true, 'may not be true if caBundle is present'))
  return errors
}

export function validateApiService({ metadata, spec: given }: KubeObject): FieldError[] {
  const spec: ApiStruct = { group: '', version: '', ...given }
  const path = fieldPath('spec')
  const errors = validateName(metadata, spec)
  if (spec.group === '') {
    if (spec.version !== 'v1') errors.push(required(path.child('group'), 'only v1 may have an empty group and it better be legacy kube'))
  } else errors.push(...isDns1123Subdomain(spec.group).map(text => invalid(path.child('group'), spec.group, text)))
  errors.push(...isDns1035Label(spec.version).map(text => invalid(path.child('version'), spec.version, text)))
  errors.push(...inRange(spec.groupPriorityMinimum ?? 0, MAX_GROUP_PRIORITY, path.child('groupPriorityMinimum')))
  errors.push(...inRange(spec.versionPriority ?? 0, MAX_VERSION_PRIORITY, path.child('versionPriority')))
  return [...errors, ...(spec.service ? validateRemote(spec, path) : validateLocal(spec, path))]
}

const STATUSES = ['True', 'False', 'Unknown']

export function validateApiServiceStatus({ status }: KubeObject): FieldError[] {
  const conditions: { status: string }[] = status?.conditions ?? []
  return conditions.flatMap((condition, i) =>
    STATUSES.includes(condition.status) ? [] : [notSupported(fieldPath('status', 'conditions').index(i).child('status'), condition.status, STATUSES)],
  )
}
