import type { HTTPIngressPath, IngressRule } from '../../../api/networking/v1.types.ts'
import { enumValues } from '../../../catalog/types.ts'
import { isStepDone, type Steps } from '../../../lib/steps.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { invalid, notSupported, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { parseIp } from '../../../meta/ip.ts'
import { isDns1123Subdomain, isWildcardDns1123Subdomain, type ValidateName } from '../../../meta/names.ts'
import { validateBackend } from './backend.ts'

const PATH_TYPES = enumValues('networking.PathType')
const BAD_SEQUENCES = ['//', '/./', '/../', '%2f', '%2F']
const BAD_ENDS = ['/..', '/.']

/** Reports whether a host contains a star. Validation checks its position. */
export const isWildcard = (host: string): boolean => host.includes('*')

/** Validates a DNS name, or one whose first label is `*`. `validateNotAddress` rejects IP addresses. */
export function validateHostName(host: string, path: FieldPath): FieldError[] {
  const texts = isWildcard(host) ? isWildcardDns1123Subdomain(host) : isDns1123Subdomain(host)
  return texts.map(text => invalid(path, host, text))
}

/** Rejects IP addresses: requests to an address have no host name to route by. */
export const validateNotAddress = (host: string, path: FieldPath): FieldError[] =>
  parseIp(host) ? [invalid(path, host, 'must be a DNS name, not an IP address')] : []

/** Validates a path. It must be absolute, or may be empty for the type `ImplementationSpecific`. */
function validatePathText(text: string, type: string, path: FieldPath): FieldError[] {
  const relative = text.startsWith('/') ? [] : [invalid(path, text, 'must be an absolute path')]
  if (type === 'ImplementationSpecific') return text === '' ? [] : relative
  return [
    ...relative,
    ...BAD_SEQUENCES.filter(bad => text.includes(bad)).map(bad => invalid(path, text, `must not contain '${bad}'`)),
    ...BAD_ENDS.filter(bad => text.endsWith(bad)).map(bad => invalid(path, text, `cannot end with '${bad}'`)),
  ]
}

function validateHttpPath(
  { path: text = '', pathType, backend }: HTTPIngressPath,
  validateName: ValidateName,
  path: FieldPath,
): FieldError[] {
  if (typeof pathType !== 'string') return [required(path.child('pathType'), 'pathType must be specified')]
  const errors = PATH_TYPES.includes(pathType)
    ? validatePathText(text, pathType, path.child('path'))
    : [notSupported(path.child('pathType'), pathType, PATH_TYPES)]
  return [...errors, ...validateBackend(backend, validateName, path.child('backend'))]
}

/** Validates a rule except for its host. `validateName` checks names of services. */
export function validateRuleValue({ http }: IngressRule, validateName: ValidateName, path: FieldPath): FieldError[] {
  if (!http) return []
  const at = path.child('http', 'paths')
  const paths = http.paths ?? []
  return paths.length === 0 ? [required(at)] : paths.flatMap((one, i) => validateHttpPath(one, validateName, at.index(i)))
}

/** Validates rules. With `keepWildcards` rules with a wildcard host are accepted without validation. */
export function* validateIngressRules(
  rules: readonly IngressRule[],
  keepWildcards: boolean,
  validateName: ValidateName,
  path: FieldPath,
): Steps<FieldError[]> {
  const errors: FieldError[] = []
  for (const [i, rule] of rules.entries()) {
    if (isStepDone()) yield
    const { host = '' } = rule
    const at = path.index(i).child('host')
    if (host !== '') errors.push(...validateNotAddress(host, at), ...validateHostName(host, at))
    if (!keepWildcards || !isWildcard(host)) errors.push(...validateRuleValue(rule, validateName, path.index(i)))
  }
  return errors
}
