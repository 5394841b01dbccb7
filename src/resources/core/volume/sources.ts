import type {
  AzureDiskVolumeSource,
  CSIVolumeSource,
  FCVolumeSource,
  FlockerVolumeSource,
  HostPathVolumeSource,
  NFSVolumeSource,
  QuobyteVolumeSource,
  StorageOSVolumeSource,
} from '../../../api/core/v1.types.ts'
import { enumValues } from '../../../catalog/types.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { covered, invalid, notSupported, required, tooLongError } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { isDns1123Subdomain, nameIsDnsSubdomain } from '../../../meta/names.ts'
import { inclusiveRange, validateDnsLabel } from '../checks.ts'
import { validateNoBacksteps } from './paths.ts'

/** Validates a source of one kind. `path` is that of the source. */
type SourceValidator<S> = (source: S, path: FieldPath) => FieldError[]

/** Checks that the named members are set: non-empty strings and lists. */
const needs =
  <K extends string>(...fields: readonly K[]): SourceValidator<Readonly<Partial<Record<K, string | readonly string[] | null>>>> =>
  (source, path) =>
    fields.filter(field => !source[field]?.length).map(field => required(path.child(field)))

const both =
  <A, B>(first: SourceValidator<A>, second: SourceValidator<B>): SourceValidator<A & B> =>
  (source, path) => [...first(source, path), ...second(source, path)]

const HOST_PATH_TYPES = ['', 'BlockDevice', 'CharDevice', 'Directory', 'DirectoryOrCreate', 'File', 'FileOrCreate', 'Socket']

function validateHostPath({ path: target, type = '' }: HostPathVolumeSource, path: FieldPath): FieldError[] {
  if (target === '') return [required(path.child('path'))]
  const errors = validateNoBacksteps(target, path.child('path'))
  return HOST_PATH_TYPES.includes(type) ? errors : [...errors, notSupported(path.child('type'), type, HOST_PATH_TYPES)]
}

/** Checks a partition. It may be 0, although the message says otherwise. */
const validatePartition: SourceValidator<{ readonly partition?: number }> = ({ partition = 0 }, path) =>
  partition < 0 || partition > 255 ? [invalid(path.child('partition'), partition, inclusiveRange(1, 255))] : []

/** Validates an NFS source. An empty path is reported twice: as required and as not absolute. */
const validateNfs = (source: NFSVolumeSource, path: FieldPath): FieldError[] => [
  ...needs('server', 'path')(source, path),
  ...(source.path.startsWith('/') ? [] : [invalid(path.child('path'), source.path, 'must be an absolute path')]),
]

/** Input that Go’s net.SplitHostPort accepts: the port may be empty, and only a host in brackets may contain colons. */
const HOST_PORT = /^(\[[^\]]*\]|[^:[\]]*):[^:]*$/
const REGISTRY_FORM = 'must be a host:port pair or multiple pairs separated by commas'

/**
 * Validates the registry, with one error for each invalid pair, which shows the whole registry. Upstream reports a
 * tenant that is too long as `required`.
 */
function validateRegistry({ registry, tenant = '' }: QuobyteVolumeSource, path: FieldPath): FieldError[] {
  if (registry === '') return [required(path.child('registry'), REGISTRY_FORM)]
  if (tenant.length >= 65) return [required(path.child('tenant'), 'must be a UUID and may not exceed a length of 64 characters')]
  const bad = registry.split(',').filter(pair => !HOST_PORT.test(pair))
  return bad.map(() => invalid(path.child('registry'), registry, REGISTRY_FORM))
}

function validateFlocker({ datasetName, datasetUUID }: FlockerVolumeSource, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  if (!datasetName && !datasetUUID) errors.push(required(path, 'one of datasetName and datasetUUID is required'))
  if (datasetName && datasetUUID) errors.push(invalid(path, 'resource', 'datasetName and datasetUUID can not be specified simultaneously'))
  if (datasetName?.includes('/')) errors.push(invalid(path.child('datasetName'), datasetName, "must not contain '/'"))
  return errors
}

/**
 * Validates an FC source, which has either targetWWNs or wwids. Only targetWWNs require a lun; with wwids alone it is
 * not checked.
 */
function validateFc({ targetWWNs: names = [], wwids = [], lun }: FCVolumeSource, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  if (names.length === 0 && wwids.length === 0)
    errors.push(required(path.child('targetWWNs'), 'must specify either targetWWNs or wwids, but not both'))
  if (names.length > 0 && wwids.length > 0)
    errors.push(invalid(path.child('targetWWNs'), names, 'targetWWNs and wwids can not be specified simultaneously'))
  if (names.length === 0) return errors
  if (lun === undefined) errors.push(required(path.child('lun'), 'lun is required if targetWWNs is specified'))
  else if (lun < 0 || lun > 255) errors.push(invalid(path.child('lun'), lun, inclusiveRange(0, 255)))
  return errors
}

/**
 * Reports whether the prefix of a key is kubernetes.io, k8s.io or a subdomain of one, ignoring case. A key without a
 * slash is its own prefix.
 */
const isReserved = (key: string): boolean => {
  const [prefix = ''] = key.split('/', 1)
  const namespace = `.${prefix.toLowerCase()}`
  return namespace.endsWith('.kubernetes.io') || namespace.endsWith('.k8s.io')
}

const validateFlexOptions: SourceValidator<{ readonly options?: Readonly<Record<string, string>> }> = ({ options = {} }, path) =>
  Object.keys(options)
    .filter(isReserved)
    .map(key => invalid(path.child('options').key(key), key, 'kubernetes.io and k8s.io namespaces are reserved'))

const CACHING = enumValues('core.AzureDataDiskCachingMode')
const DISK_KINDS = enumValues('core.AzureDataDiskKind')
const MANAGED_DISK = '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}'
const BLOB_DISK = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd'

/**
 * Validates an Azure disk. A managed disk has the ID of a resource, any other the URI of a blob. The error shows the
 * expected form as the supported value.
 */
function validateAzureDisk(source: AzureDiskVolumeSource, path: FieldPath): FieldError[] {
  const { cachingMode, diskURI, kind } = source
  const errors = needs('diskName', 'diskURI')(source, path)
  if (!CACHING.includes(cachingMode)) errors.push(notSupported(path.child('cachingMode'), cachingMode, CACHING))
  if (!DISK_KINDS.includes(kind)) errors.push(notSupported(path.child('kind'), kind, DISK_KINDS))
  if (kind === 'Managed' && !diskURI.startsWith('/subscriptions/'))
    errors.push(notSupported(path.child('diskURI'), diskURI, [MANAGED_DISK]))
  if (kind !== 'Managed' && !diskURI.startsWith('https://')) errors.push(notSupported(path.child('diskURI'), diskURI, [BLOB_DISK]))
  return errors
}

const validateStorageOs = (
  { volumeName = '', volumeNamespace }: Omit<StorageOSVolumeSource, 'secretRef'>,
  path: FieldPath,
): FieldError[] => [
  ...(volumeName === '' ? [required(path.child('volumeName'))] : validateDnsLabel(volumeName, path.child('volumeName'))),
  ...(volumeNamespace ? validateDnsLabel(volumeNamespace, path.child('volumeNamespace')) : []),
]

/** Checks that a reference to a secret, if set, has the named members. */
const needsOfSecret =
  <K extends string>(...fields: readonly K[]): SourceValidator<{ readonly secretRef?: Readonly<Partial<Record<K, string>>> }> =>
  ({ secretRef }, path) =>
    secretRef ? needs(...fields)(secretRef, path.child('secretRef')) : []

/**
 * Checks a DNS subdomain of at most 63 characters, which may contain upper-case letters. An empty name is required, and
 * before 1.35 also invalid. Without `release`, as before 1.35.
 */
export function validateCsiDriverName(name: string, path: FieldPath, release?: Release): FieldError[] {
  const errors: FieldError[] = []
  if (name === '') {
    errors.push(required(path))
    if (release && isSince(release, '1.35')) return errors
  }
  if (name.length > 63) errors.push(tooLongError(path, 63))
  return [...errors, ...isDns1123Subdomain(name.toLowerCase()).map(text => invalid(path, name, text))]
}

const ORIGINS: Partial<Record<FieldError['reason'], string>> = {
  FieldValueRequired: '',
  FieldValueTooLong: 'maxLength',
  FieldValueInvalid: 'format=k8s-long-name-caseless',
}

/** Marks errors in a driver's name that declarative validation covers. */
export const coveredDriverName = (errors: readonly FieldError[]): FieldError[] =>
  errors.flatMap(error => covered(ORIGINS[error.reason] ?? '', [error]))

/** Upstream’s path of an invalid secret name lacks `nodePublishSecretRef`. */
function validateCsi(
  { driver, nodePublishSecretRef: ref }: CSIVolumeSource,
  path: FieldPath,
  { release }: { readonly release: Release },
): FieldError[] {
  const errors = validateCsiDriverName(driver, path.child('driver'), release)
  if (!ref) return errors
  const { name } = ref
  if (!name) return [...errors, required(path.child('nodePublishSecretRef', 'name'))]
  return [...errors, ...nameIsDnsSubdomain(name, false).map(text => invalid(path.child('name'), name, text))]
}

/** Sources that pods and persistent volumes have in common, with the same validation. */
export const commonSources = {
  hostPath: validateHostPath,
  gcePersistentDisk: both(needs('pdName'), validatePartition),
  awsElasticBlockStore: both(needs('volumeID'), validatePartition),
  nfs: validateNfs,
  flocker: validateFlocker,
  rbd: needs('monitors', 'image'),
  cephfs: needs('monitors'),
  quobyte: both(validateRegistry, needs('volume')),
  fc: validateFc,
  flexVolume: both(needs('driver'), validateFlexOptions),
  vsphereVolume: needs('volumePath'),
  photonPersistentDisk: needs('pdID'),
  portworxVolume: needs('volumeID'),
  azureDisk: validateAzureDisk,
  scaleIO: needs('gateway', 'system', 'volumeName'),
}

/** Sources of pods for which persistent volumes have additional rules. */
export const podSources = {
  glusterfs: needs('endpoints', 'path'),
  cinder: both(needs('volumeID'), needsOfSecret('name')),
  azureFile: needs('secretName', 'shareName'),
  storageos: both(validateStorageOs, needsOfSecret('name')),
  csi: validateCsi,
}

/** Sources of persistent volumes, except csi, iscsi and glusterfs, which belong to that kind. */
export const persistentSources = {
  cinder: both(needs('volumeID'), needsOfSecret('name', 'namespace')),
  storageos: both(validateStorageOs, needsOfSecret('name', 'namespace')),
}
