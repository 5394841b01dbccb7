import type {
  AzureFilePersistentVolumeSource,
  CSIPersistentVolumeSource,
  GlusterfsPersistentVolumeSource,
  LocalVolumeSource,
  PersistentVolumeSource,
  PersistentVolumeSpec,
  SecretReference,
} from '../../../api/core/v1.types.ts'
import { invariant } from '../../../lib/invariant.ts'
import type { Release } from '../../../lifecycle/release.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { forbidden, invalid, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { isDns1123Label, isDns1123Subdomain, nameIsDnsLabel } from '../../../meta/names.ts'
import { validateDnsLabel, validateDnsSubdomain } from '../checks.ts'
import { validateIscsi } from '../volume/iscsi.ts'
import { validateNoBacksteps } from '../volume/paths.ts'
import { rulesFor, type SourceRule } from '../volume/source-rules.ts'
import { commonSources, persistentSources, validateCsiDriverName } from '../volume/sources.ts'

/** If `endpointsNamespace` is unset, the namespace of the bound claim is used. An empty string is an error. */
function validateGlusterfs(
  { endpoints, path: target, endpointsNamespace: namespace }: GlusterfsPersistentVolumeSource,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = []
  if (endpoints === '') errors.push(required(path.child('endpoints')))
  if (target === '') errors.push(required(path.child('path')))
  if (namespace === undefined) return errors
  const at = path.child('endpointsNamespace')
  if (namespace === '') return [...errors, invalid(at, namespace, 'if the endpointnamespace is set, it must be a valid namespace name')]
  return [...errors, ...nameIsDnsLabel(namespace, false).map(text => invalid(at, namespace, text))]
}

/** `secretNamespace` may be unset, but not empty. */
const validateAzureFile = ({ secretName, shareName, secretNamespace }: AzureFilePersistentVolumeSource, path: FieldPath): FieldError[] => [
  ...(secretName === '' ? [required(path.child('secretName'))] : []),
  ...(shareName === '' ? [required(path.child('shareName'))] : []),
  ...(secretNamespace === '' ? [required(path.child('secretNamespace'))] : []),
]

/**
 * The path may be relative; only `..` is refused. `validateVolumeSource` checks that a local volume has a node
 * affinity.
 */
const validateLocal = ({ path: target }: LocalVolumeSource, path: FieldPath): FieldError[] =>
  target === '' ? [required(path.child('path'))] : validateNoBacksteps(target, path.child('path'))

/** A persistent volume has no namespace, so its references to secrets must include one. */
const validateSecretReference = ({ name, namespace }: SecretReference, path: FieldPath): FieldError[] => [
  ...(name ? validateDnsSubdomain(name, path.child('name')) : [required(path.child('name'))]),
  ...(namespace ? validateDnsLabel(namespace, path.child('namespace')) : [required(path.child('namespace'))]),
]

const SECRETS = ['controllerPublishSecretRef', 'controllerExpandSecretRef', 'nodePublishSecretRef', 'nodeExpandSecretRef'] as const

/** Context of the validation of sources. */
export interface SourceOptions {
  /** The name of the volume. */
  readonly volume: string
  readonly release: Release
}

function validateCsi(source: CSIPersistentVolumeSource, path: FieldPath, { release }: SourceOptions): FieldError[] {
  const errors = validateCsiDriverName(source.driver, path.child('driver'), release)
  if (source.volumeHandle === '') errors.push(required(path.child('volumeHandle')))
  for (const field of SECRETS) {
    const secret = source[field]
    if (secret) errors.push(...validateSecretReference(secret, path.child(field)))
  }
  return errors
}

const secretNames = ({ csi }: PersistentVolumeSource): (readonly [field: string, name: string])[] =>
  SECRETS.flatMap(field => (csi?.[field]?.name ? [[field, csi[field].name] as const] : []))

/**
 * Before 1.27 names of secrets of a CSI volume must be labels, unless the old volume already has a longer one. `path`
 * is the path of the source.
 */
export function validateShortSecretNames(
  next: PersistentVolumeSource,
  old: PersistentVolumeSource | undefined,
  path: FieldPath,
): FieldError[] {
  if (old && secretNames(old).some(([, name]) => isDns1123Label(name).length > 0)) return []
  // A name that is not a subdomain either has been reported before.
  return secretNames(next).flatMap(([field, name]) =>
    isDns1123Subdomain(name).length > 0 ? [] : validateDnsLabel(name, path.child(field, 'name')),
  )
}

type Kind = keyof PersistentVolumeSource

const rule = rulesFor<PersistentVolumeSource, SourceOptions>()

/** Every kind of source, in the order in which upstream checks them. */
const RULES: readonly SourceRule<PersistentVolumeSource, SourceOptions>[] = [
  rule('hostPath', commonSources.hostPath),
  rule('gcePersistentDisk', commonSources.gcePersistentDisk, { shown: 'persistentDisk' }),
  rule('awsElasticBlockStore', commonSources.awsElasticBlockStore),
  rule('glusterfs', validateGlusterfs),
  rule('flocker', commonSources.flocker),
  rule('nfs', commonSources.nfs),
  rule('rbd', commonSources.rbd),
  rule('quobyte', commonSources.quobyte),
  rule('cephfs', commonSources.cephfs, { refused: 'cephFS' }),
  rule('iscsi', (source, path, { volume: name }) => validateIscsi(source, path, { name })),
  rule('cinder', persistentSources.cinder),
  rule('fc', commonSources.fc),
  rule('flexVolume', commonSources.flexVolume),
  rule('azureFile', validateAzureFile),
  rule('vsphereVolume', commonSources.vsphereVolume),
  rule('photonPersistentDisk', commonSources.photonPersistentDisk),
  rule('portworxVolume', commonSources.portworxVolume),
  rule('azureDisk', commonSources.azureDisk),
  rule('scaleIO', commonSources.scaleIO),
  rule('local', validateLocal),
  rule('storageos', persistentSources.storageos),
  rule('csi', validateCsi),
]

const BY_KIND = new Map(RULES.map(source => [source.kind, source]))

/** Returns the names of the sources that a spec has, in the order of validation. */
export const sourcesOf = (spec: PersistentVolumeSpec): Kind[] =>
  RULES.filter(({ kind }) => spec[kind] !== undefined).map(({ kind }) => kind)

/**
 * Validates the sources of a volume's spec at `specPath`. At least one is required. Each source after the first is
 * forbidden and its members are not checked, except for flexVolume. Source: pkg/apis/core/validation in
 * k8s.io/kubernetes.
 */
export function validateSources(spec: PersistentVolumeSpec, specPath: FieldPath, options: SourceOptions): FieldError[] {
  const sources = sourcesOf(spec)
  if (sources.length === 0) return [required(specPath, 'must specify a volume type')]
  return sources.flatMap((kind, i) => validateVolumeSource(spec, kind, options, i > 0, specPath))
}

/** `further` is true if the spec has another source before this one. */
function validateVolumeSource(
  spec: PersistentVolumeSpec,
  kind: Kind,
  options: SourceOptions,
  further: boolean,
  specPath: FieldPath,
): FieldError[] {
  const found = BY_KIND.get(kind)
  invariant(found, `no rule for sources of kind ${kind}`)
  const { shown = kind, refused = kind, validate } = found
  // A flexVolume is never rejected as a second source.
  if (further && kind !== 'flexVolume') return [forbidden(specPath.child(refused), 'may not specify more than 1 volume type')]
  const errors = validate(spec, specPath.child(shown), options)
  return kind === 'local' && !spec.nodeAffinity
    ? [...errors, required(specPath.child('nodeAffinity'), 'Local volume requires node affinity')]
    : errors
}
