import { formatDuration, parseDuration } from '../../lib/duration.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { type FieldError, forbidden, invalid, invalidStructure, required, verbatim } from '../../meta/field-error.ts'
import { type FieldPath, fieldPath } from '../../meta/field-path.ts'
import { parseGoUrl } from '../../meta/go-url.ts'
import { parseGroupResource } from '../../meta/gvk.ts'
import type { EncryptionKey, EncryptionProvider, EncryptionRule, KmsConfig } from './encryption-config.ts'

const AES_KEY_BYTES = [16, 24, 32]
const SECRETBOX_KEY_BYTES = [32]
const PROVIDERS = ['kms', 'aesgcm', 'aescbc', 'secretbox', 'identity'] as const

/**
 * Returns all errors of the rules, in kube-apiserver's order and words. Features that are not implemented are reported
 * by name. Secrets are never included.
 */
export function validateEncryption(rules: readonly EncryptionRule[]): FieldError[] {
  const root = fieldPath('resources')
  if (rules.length === 0) return [atLeastOne(root)]
  const errors: FieldError[] = []
  const kmsNames = new Set<string>()
  for (const [i, { resources = [], providers = [] }] of rules.entries()) {
    const names = root.index(i).child('resources')
    const path = root.index(i).child('providers')
    if (resources.length === 0) errors.push(atLeastOne(names))
    errors.push(...overlapErrors(resources, names), ...resources.flatMap((name, j) => resourceNameErrors(name, names.index(j))))
    if (providers.length === 0) errors.push(atLeastOne(path))
    errors.push(...providers.flatMap((provider, j) => providerErrors(provider, path.index(j), kmsNames)))
  }
  return errors
}

const atLeastOne = (path: FieldPath, what = path.text): FieldError => required(path, `at least one ${what} is required`)

/**
 * Errors of a list that names a resource twice, or next to a wildcard that covers it: the later rule would have no
 * effect.
 */
function overlapErrors(resources: readonly string[], path: FieldPath): FieldError[] {
  const parsed = resources.map(parseGroupResource)
  let repeated = false
  let masked = false
  for (const [i, a] of parsed.entries()) {
    for (const [j, b] of parsed.entries()) {
      if (i === j) continue
      const same = a.group === b.group && a.resource === b.resource
      if (same && !repeated) repeated = true
      else if (a.group === '*' && a.resource === '*') masked = true
      else if (a.group === b.group && (a.resource === '*' || b.resource === '*')) masked = true
    }
  }
  return [
    ...(repeated ? [invalid(path, resources, 'the same resource cannot be specified multiple times')] : []),
    ...(masked
      ? [
          invalid(
            path,
            resources,
            "using overlapping resources such as 'secrets' and '*.' in the same resource list is not allowed as they will be masked",
          ),
        ]
      : []),
  ]
}

const WITHOUT_API = ['apiserveripinfo', 'serviceipallocations', 'servicenodeportallocations']

function resourceNameErrors(name: string, path: FieldPath): FieldError[] {
  const { group, resource } = parseGroupResource(name)
  const fault =
    name.toLowerCase() !== name
      ? 'resource name should not contain capital letters'
      : name === '*'
        ? "use '*.' to encrypt all the resources from core API group or *.* to encrypt all resources"
        : WITHOUT_API.includes(name)
          ? 'resources which do not have REST API/s cannot be encrypted'
          : group === 'events.k8s.io'
            ? "'*.events.k8s.io' objects are stored using the 'events' API group in etcd. Use 'events' instead in the config file"
            : group === 'extensions'
              ? "'extensions' group has been removed and cannot be used for encryption"
              : group === '*' && resource !== '*'
                ? 'encrypting the same resource across groups is not supported'
                : undefined
  return fault === undefined ? [] : [invalid(path, name, fault)]
}

/** The value as Go prints it. */
const EMPTY_PROVIDER = verbatim(
  'apiserver.ProviderConfiguration{AESGCM:(*apiserver.AESConfiguration)(nil), AESCBC:(*apiserver.AESConfiguration)(nil), ' +
    'Secretbox:(*apiserver.SecretboxConfiguration)(nil), Identity:(*apiserver.IdentityConfiguration)(nil), KMS:(*apiserver.KMSConfiguration)(nil)}',
)

/** `kmsNames` collects the names of services. */
function providerErrors(provider: EncryptionProvider, path: FieldPath, kmsNames: Set<string>): FieldError[] {
  const given = PROVIDERS.filter(name => provider[name] !== undefined)
  const errors: FieldError[] = []
  if (given.length === 0)
    errors.push(
      invalid(path, EMPTY_PROVIDER, 'provider does not contain any of the expected providers: KMS, AESGCM, AESCBC, Secretbox, Identity'),
    )
  if (given.length > 1)
    errors.push(invalidStructure(path, 'more than one provider specified in a single element, should split into different list elements'))
  const keys = (name: 'aesgcm' | 'aescbc' | 'secretbox', bytes: readonly number[]) =>
    errors.push(...keyErrors(provider[name]?.keys ?? [], path.child(name, 'keys'), bytes))
  switch (given[0]) {
    case 'kms':
      if (provider.kms) errors.push(...kmsErrors(provider.kms, path.child('kms'), kmsNames))
      break
    case 'aesgcm':
    case 'aescbc':
      keys(given[0], AES_KEY_BYTES)
      break
    case 'secretbox':
      keys(given[0], SECRETBOX_KEY_BYTES)
      break
    case 'identity':
    case undefined:
  }
  return errors
}

/** v1 is reported as not implemented. It is disabled in kube-apiserver since 1.29. */
function kmsErrors(
  { apiVersion = 'v1', name = '', endpoint = '', timeout, cachesize }: KmsConfig,
  path: FieldPath,
  names: Set<string>,
): FieldError[] {
  const errors: FieldError[] = []
  if (name === '') errors.push(required(path.child('name'), 'name is a mandatory field for a provider'))
  if (apiVersion !== 'v1' && name.includes(':'))
    errors.push(invalid(path.child('name'), name, `invalid KMS provider name ${name}, must not contain ':'`))
  if (names.has(name)) errors.push(invalid(path.child('name'), name, `duplicate KMS provider name ${name}, names must be unique`))
  names.add(name)
  if (timeout !== undefined) errors.push(...timeoutErrors(timeout, path.child('timeout')))
  errors.push(...endpointErrors(endpoint, path.child('endpoint')))
  if (apiVersion !== 'v1' && cachesize !== undefined)
    errors.push(invalid(path.child('cachesize'), cachesize, 'cachesize is not supported in v2'))
  if (apiVersion === 'v1')
    errors.push(
      forbidden(
        path.child('apiVersion'),
        'KMSv1 is deprecated and will only receive security updates going forward. Use KMSv2 instead: v1 is not implemented',
      ),
    )
  else if (apiVersion !== 'v2')
    errors.push(
      invalid(path.child('apiVersion'), apiVersion, 'unsupported apiVersion apiVersion for KMS provider, only v1 and v2 are supported'),
    )
  return errors
}

/** The text is a Go duration. It has been read as text so that its error is the one of this field. */
function timeoutErrors(timeout: string, path: FieldPath): FieldError[] {
  try {
    const nanos = parseDuration(timeout)
    return nanos > 0n ? [] : [invalid(path, verbatim(formatDuration(nanos)), 'timeout should be a positive value')]
  } catch (error) {
    return [invalid(path, timeout, errorMessage(error))]
  }
}

/** Only Unix sockets are supported, as upstream. */
function endpointErrors(endpoint: string, path: FieldPath): FieldError[] {
  if (endpoint === '') return [invalid(path, '', 'endpoint is a mandatory field for a kms')]
  try {
    const { scheme } = parseGoUrl(endpoint)
    return scheme === 'unix'
      ? []
      : [invalid(path, endpoint, `unsupported scheme ${JSON.stringify(scheme)} for KMS provider, only unix is supported`)]
  } catch (error) {
    return [invalid(path, endpoint, `invalid endpoint for kms provider, error: ${errorMessage(error)}`)]
  }
}

/** `bytes`: lengths that the algorithm accepts. Errors do not show secrets. */
function keyErrors(keys: readonly EncryptionKey[], path: FieldPath, bytes: readonly number[]): FieldError[] {
  if (keys.length === 0) return [atLeastOne(path, 'keys')]
  return keys.flatMap(({ name = '', secret = '' }, i) => {
    const at = path.index(i)
    const nameless = name === '' ? [required(at.child('name'), 'name is a mandatory field for a key')] : []
    return [...nameless, ...secretErrors(secret, at.child('secret'), bytes)]
  })
}

function secretErrors(secret: string, path: FieldPath, bytes: readonly number[]): FieldError[] {
  if (secret === '') return [required(path, 'secret is a mandatory field for a key')]
  const decoded = decodeSecret(secret)
  if (decoded === undefined) return [invalid(path, 'REDACTED', 'secrets must be base64 encoded')]
  if (bytes.includes(decoded.length)) return []
  return [invalid(path, 'REDACTED', `secret is not of the expected length, got ${decoded.length}, expected one of [${bytes.join(' ')}]`)]
}

/** Decodes standard base64 with padding, ignoring line ends. Undefined for any other text. */
export function decodeSecret(text: string): Buffer | undefined {
  const packed = text.replace(/[\r\n]/g, '')
  return /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(packed) ? Buffer.from(packed, 'base64') : undefined
}
