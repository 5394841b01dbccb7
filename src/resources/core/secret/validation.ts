import type { Secret } from '../../../api/core/v1.types.ts'
import { isStepDone, type Steps } from '../../../lib/steps.ts'
import { memberNames } from '../../../lib/wide-objects.ts'
import { ownMember } from '../../../meta/equal.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { invalid, required, tooLongError } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { isConfigMapKey } from '../../../meta/names.ts'
import { validateImmutableField } from '../../../meta/object-meta-validation.ts'
import { MAX_DATA_BYTES, validateImmutableData } from '../data-object.ts'

const DATA_PATH = fieldPath('data')
const ACCOUNT_NAME = 'kubernetes.io/service-account.name'

/**
 * Validates a secret. The type never changes, and some types require keys with readable content. The size limit applies
 * to the sum of all decoded values. Source: pkg/apis/core/validation in k8s.io/kubernetes.
 */
export function* validateSecret(next: Secret, old: Secret | undefined): Steps<FieldError[]> {
  const errors: FieldError[] = []
  if (old) errors.push(...validateImmutableField(next.type, old.type, fieldPath('type')), ...validateImmutableData(next, old, 'data'))
  const { data = {} } = next
  let size = 0
  // Iterates over keys, not entries: there may be tens of thousands.
  for (const key of yield* memberNames(data)) {
    if (isStepDone()) yield
    for (const message of isConfigMapKey(key)) errors.push(invalid(DATA_PATH.key(key), key, message))
    size += Buffer.byteLength(data[key] ?? '', 'base64')
  }
  if (size > MAX_DATA_BYTES) errors.push(tooLongError(DATA_PATH, MAX_DATA_BYTES))
  errors.push(...validateSecretType(next, data))
  return errors
}

/** Checks the keys that the secret's type requires. */
function validateSecretType(secret: Secret, data: Record<string, string>): FieldError[] {
  const missing = (...keys: string[]): FieldError[] =>
    keys.filter(key => !Object.hasOwn(data, key)).map(key => required(DATA_PATH.key(key)))
  switch (secret.type) {
    case 'kubernetes.io/service-account-token':
      return ownMember(secret.metadata.annotations, ACCOUNT_NAME) ? [] : [required(fieldPath('metadata', 'annotations').key(ACCOUNT_NAME))]
    case 'kubernetes.io/dockercfg':
      return validateJson('.dockercfg', data)
    case 'kubernetes.io/dockerconfigjson':
      return validateJson('.dockerconfigjson', data)
    case 'kubernetes.io/basic-auth': {
      // One of the two keys is enough. If both are missing, both are reported.
      const both = missing('username', 'password')
      return both.length === 2 ? both : []
    }
    case 'kubernetes.io/ssh-auth':
      // An empty value counts as missing.
      return ownMember(data, 'ssh-privatekey') ? [] : [required(DATA_PATH.key('ssh-privatekey'))]
    case 'kubernetes.io/tls':
      return missing('tls.crt', 'tls.key')
    default:
      return []
  }
}

/** Checks that the value of a required key is a JSON object or null. */
function validateJson(key: string, data: Record<string, string>): FieldError[] {
  const path = DATA_PATH.key(key)
  const value = ownMember(data, key)
  if (value === undefined) return [required(path)]
  const problem = jsonProblem(Buffer.from(value, 'base64').toString())
  return problem === undefined ? [] : [invalid(path, '<secret contents redacted>', problem)]
}

/** Returns the message of Go's decoder for a text that is not an object, or undefined for an object or null. */
function jsonProblem(text: string): string | undefined {
  if (text.trim() === '') return 'unexpected end of JSON input'
  try {
    const value: unknown = JSON.parse(text)
    if (value === null || (typeof value === 'object' && !Array.isArray(value))) return undefined
    const kind = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value
    return `json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`
  } catch {
    // The parser's own message is not used, as it may quote the secret.
    return 'invalid JSON'
  }
}
