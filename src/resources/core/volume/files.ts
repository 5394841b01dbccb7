import type {
  ClusterTrustBundleProjection,
  DownwardAPIVolumeFile,
  DownwardAPIVolumeSource,
  KeyToPath,
  PodCertificateProjection,
  ProjectedVolumeSource,
  ServiceAccountTokenProjection,
  VolumeProjection,
} from '../../../api/core/v1.types.ts'
import type { Int64 } from '../../../api/meta/object.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { forbidden, invalid, notSupported, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { validateLabelSelector } from '../../../meta/label-selector.ts'
import { isValidUserId, nameIsDnsSubdomain } from '../../../meta/names.ts'
import { longestExpiration, SHORTEST_EXPIRATION, validateUserAnnotations } from '../../certificates/pod-certificate.ts'
import { validateSignerName } from '../../certificates/signer-name.ts'
import { goValue } from '../../shared/go-values.ts'
import { type HostIPsUse, validateDownwardFile } from './downward-api.ts'
import { validateNonReservedPath } from './paths.ts'

/** Messages for sources that contain files created from objects: secret, configMap, downwardAPI, projected. */
const BAD_MODE = 'must be a number between 0 and 0777 (octal), both inclusive'
const CONFLICT = 'conflicting duplicate paths'

/** Checks permission bits. They are decimal in JSON: 0777 is written as 511. */
function validateMode(mode: number | undefined, path: FieldPath): FieldError[] {
  return mode !== undefined && (mode > 0o777 || mode < 0) ? [invalid(path, mode, BAD_MODE)] : []
}

/** Validates the owner of files. */
function validateOwner(user: Int64 | undefined, path: FieldPath): FieldError[] {
  return user === undefined ? [] : isValidUserId(user).map(text => invalid(path, user, text))
}

function validateItem(item: KeyToPath, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  if (!item.key) errors.push(required(path.child('key')))
  if (!item.path) errors.push(required(path.child('path')))
  errors.push(...validateNonReservedPath(item.path, path.child('path')))
  errors.push(...validateMode(item.mode, path.child('mode')), ...validateOwner(item.user, path.child('user')))
  return errors
}

/** Fields that secret and config map volumes have in common. */
interface KeyedSource {
  readonly items?: readonly KeyToPath[]
  readonly defaultMode?: number
  readonly defaultUser?: Int64
}

/** `name` is that of the object, and is stored in the member `nameField`. */
export function validateKeyedSource(
  { items = [], defaultMode, defaultUser }: KeyedSource,
  name: string | undefined,
  nameField: string,
  path: FieldPath,
): FieldError[] {
  return [
    ...(name ? [] : [required(path.child(nameField))]),
    ...validateMode(defaultMode, path.child('defaultMode')),
    ...validateOwner(defaultUser, path.child('defaultUser')),
    ...items.flatMap((item, i) => validateItem(item, path.child('items').index(i))),
  ]
}

/** Rules that depend on gates. */
interface DownwardOptions {
  readonly hostIPs: HostIPsUse
}

/** Validates a downwardAPI source. Files must stay within the volume, with a mode of at most 0777. */
export function validateDownwardSource(source: DownwardAPIVolumeSource, path: FieldPath, { hostIPs }: DownwardOptions): FieldError[] {
  const errors = [
    ...validateMode(source.defaultMode, path.child('defaultMode')),
    ...validateOwner(source.defaultUser, path.child('defaultUser')),
  ]
  for (const file of source.items ?? []) errors.push(...validateFile(file, path, hostIPs))
  return errors
}

/** Upstream’s path is that of the source, without `items` and index. */
function validateFile(file: DownwardAPIVolumeFile, path: FieldPath, hostIPs: HostIPsUse): FieldError[] {
  const errors = validateDownwardFile(file, path, hostIPs)
  errors.push(...validateMode(file.mode, path.child('mode')), ...validateOwner(file.user, path.child('user')))
  return errors
}

/** Kinds of projected sources. An element has at most one. */
const PROJECTIONS: readonly (keyof VolumeProjection)[] = [
  'secret',
  'configMap',
  'downwardAPI',
  'serviceAccountToken',
  'clusterTrustBundle',
  'podCertificate',
]

/** Rules that depend on gates and on the old object. */
export interface ProjectedOptions extends DownwardOptions {
  readonly allowNonLocalTokenPath: boolean
}

/**
 * Validates a projected volume. Files of its sources must not collide; a collision is reported for the volume’s source.
 * Paths of tokens are not compared here: volume-warnings.ts warns of them. An element without a source is only a
 * warning. Source: pkg/apis/core/validation in k8s.io/kubernetes.
 */
export function validateProjected(projected: ProjectedVolumeSource, path: FieldPath, options: ProjectedOptions): FieldError[] {
  const errors = [
    ...validateMode(projected.defaultMode, path.child('defaultMode')),
    ...validateOwner(projected.defaultUser, path.child('defaultUser')),
  ]
  const paths = new Set<string>()
  const claim = (target: string, shown: string): void => {
    if (target === '') return
    if (paths.has(target)) errors.push(invalid(path, shown, CONFLICT))
    else paths.add(target)
  }
  projected.sources?.forEach((source, i) => {
    const at = path.child('sources').index(i)
    for (const kind of ['secret', 'configMap'] as const) {
      const keyed = source[kind]
      if (!keyed) continue
      if (!keyed.name) errors.push(required(at.child(kind, 'name')))
      keyed.items?.forEach((item, j) => {
        errors.push(...validateItem(item, at.child(kind, 'items').index(j)))
        claim(item.path, keyed.name ?? '')
      })
    }
    for (const kind of ['serviceAccountToken', 'clusterTrustBundle', 'podCertificate'] as const) {
      errors.push(...validateOwner(source[kind]?.user, at.child(kind, 'user')))
    }
    if (source.downwardAPI) {
      for (const file of source.downwardAPI.items ?? []) {
        errors.push(...validateFile(file, at.child('downwardAPI'), options.hostIPs))
        claim(file.path, file.path)
      }
    }
    if (source.serviceAccountToken)
      errors.push(...validateToken(source.serviceAccountToken, at.child('serviceAccountToken'), path, options))
    if (source.clusterTrustBundle) {
      errors.push(...validateTrustBundle(source.clusterTrustBundle, at.child('clusterTrustBundle')))
      claim(source.clusterTrustBundle.path, source.clusterTrustBundle.path)
    }
    if (source.podCertificate) {
      const certificate = at.child('podCertificate')
      errors.push(...validateCertificateRequest(source.podCertificate, certificate))
      const files = CERTIFICATE_FILES.filter(member => source.podCertificate?.[member])
      for (const member of files) {
        const file = source.podCertificate[member] ?? ''
        errors.push(...validateNonReservedPath(file, certificate.child(member)))
        claim(file, file)
      }
      if (files.length === 0)
        errors.push(required(certificate, 'specify at least one of credentialBundlePath, keyPath, and certificateChainPath'))
    }
    const count = PROJECTIONS.filter(kind => source[kind]).length
    if (count > 1) errors.push(forbidden(at, 'may not specify more than 1 volume type per source'))
  })
  return errors
}

const CERTIFICATE_FILES = ['credentialBundlePath', 'keyPath', 'certificateChainPath'] as const
const KEY_TYPES = ['RSA3072', 'RSA4096', 'ECDSAP256', 'ECDSAP384', 'ECDSAP521', 'ED25519']

/** Validates the certificate request of a podCertificate source. The caller checks its files. */
function validateCertificateRequest(
  { signerName, keyType, maxExpirationSeconds: seconds, userAnnotations }: PodCertificateProjection,
  path: FieldPath,
): FieldError[] {
  const errors = validateSignerName(signerName ?? '', path.child('signerName'))
  if (userAnnotations) errors.push(...validateUserAnnotations(userAnnotations, path.child('userAnnotations')))
  if (!KEY_TYPES.includes(keyType ?? '')) errors.push(notSupported(path.child('keyType'), keyType ?? '', KEY_TYPES))
  const most = longestExpiration(signerName ?? '')
  const at = path.child('maxExpirationSeconds')
  if (seconds !== undefined && seconds < SHORTEST_EXPIRATION) {
    errors.push(invalid(at, seconds, `if provided, maxExpirationSeconds must be >= ${SHORTEST_EXPIRATION}`))
  }
  if (seconds !== undefined && seconds > most) errors.push(invalid(at, seconds, `if provided, maxExpirationSeconds must be <= ${most}`))
  return errors
}

/**
 * Validates a token. Upstream reports its path for the volume, not for the source. The lifetime is between 600 and 2^32
 * seconds.
 */
function validateToken(token: ServiceAccountTokenProjection, path: FieldPath, volume: FieldPath, options: ProjectedOptions): FieldError[] {
  const errors: FieldError[] = []
  const seconds = token.expirationSeconds ?? 0
  if (seconds < 600) errors.push(invalid(path.child('expirationSeconds'), seconds, 'may not specify a duration less than 10 minutes'))
  if (seconds > 2 ** 32)
    errors.push(invalid(path.child('expirationSeconds'), seconds, 'may not specify a duration larger than 2^32 seconds'))
  if (!token.path) errors.push(required(volume.child('path')))
  else if (!options.allowNonLocalTokenPath) errors.push(...validateNonReservedPath(token.path, volume.child('path')))
  return errors
}

/**
 * Validates a clusterTrustBundle, which has either a name or a signerName. The part of the name after its last colon is
 * a DNS subdomain; a signer is `domain/path`; a selector requires a signer.
 */
function validateTrustBundle(bundle: ClusterTrustBundleProjection, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  const { name, signerName } = bundle
  if (name !== undefined && signerName !== undefined) errors.push(invalid(path, bundle, 'only one of name and signerName may be used'))
  else if (name !== undefined) {
    if (name === '') errors.push(required(path.child('name'), 'must be a valid object name'))
    const own = name.slice(name.lastIndexOf(':') + 1)
    for (const text of nameIsDnsSubdomain(own, false))
      errors.push(invalid(path.child('name'), name, `not a valid clustertrustbundlename: ${text}`))
    if (bundle.labelSelector)
      errors.push(
        invalid(
          path.child('labelSelector'),
          goValue('meta.LabelSelector', bundle.labelSelector),
          'labelSelector must be unset if name is specified',
        ),
      )
  } else if (signerName !== undefined) {
    if (signerName === '') errors.push(required(path.child('signerName'), 'must be a valid signer name'))
    const [domain = '', ...rest] = signerName.split('/')
    if (rest.length !== 1)
      errors.push(
        invalid(path.child('signerName'), signerName, 'must be a fully qualified domain and path of the form "example.com/signer-name"'),
      )
    else for (const text of nameIsDnsSubdomain(domain, false)) errors.push(invalid(path.child('signerName'), signerName, text))
    if (bundle.labelSelector) errors.push(...validateLabelSelector(bundle.labelSelector, path.child('labelSelector')))
  } else errors.push(required(path, 'either name or signerName must be specified'))
  if (!bundle.path) errors.push(required(path.child('path')))
  errors.push(...validateNonReservedPath(bundle.path, path.child('path')))
  return errors
}
