import { isSince, type Release } from '../../../lifecycle/release.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { covered, invalid, notSupported, required, tooLong } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { isDns1123Subdomain, nameIsDnsSubdomain } from '../../../meta/names.ts'
import { inclusiveRange, validateDnsLabel } from '../checks.ts'
import type {
  AzureDiskVolumeSource,
  CSIVolumeSource,
  FCVolumeSource,
  FlockerVolumeSource,
  HostPathVolumeSource,
  NFSVolumeSource,
  QuobyteVolumeSource,
  StorageOSVolumeSource,
} from '../v1.types.ts'
import { validateNoBacksteps } from './paths.ts'

/** What is wrong with a source of one kind; `path` is the source's own. */
type SourceValidator<S> = (source: S, path: FieldPath) => FieldError[]

/** The named members are given: texts and lists that are not empty. */
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

/** Partitions start at 0, whatever the text says. */
const validatePartition: SourceValidator<{ readonly partition?: number }> = ({ partition = 0 }, path) =>
  partition < 0 || partition > 255 ? [invalid(path.child('partition'), partition, inclusiveRange(1, 255))] : []

/** An empty path is reported twice: as required and as not absolute. */
const validateNfs = (source: NFSVolumeSource, path: FieldPath): FieldError[] => [
  ...needs('server', 'path')(source, path),
  ...(source.path.startsWith('/') ? [] : [invalid(path.child('path'), source.path, 'must be an absolute path')]),
]

/** What Go’s net.SplitHostPort accepts: the port may be empty, and only a host in brackets may have colons. */
const HOST_PORT = /^(\[[^\]]*\]|[^:[\]]*):[^:]*$/
const REGISTRY_FORM = 'must be a host:port pair or multiple pairs separated by commas'

/** One error for each bad pair, with the whole registry as its value. A tenant that is too long is reported as `required`: upstream has it so. */
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

/** Either targetWWNs or wwids. Only the former need a lun; with wwids alone it is not checked. */
function validateFc({ targetWWNs: names = [], wwids = [], lun }: FCVolumeSource, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  if (names.length === 0 && wwids.length === 0) errors.push(required(path.child('targetWWNs'), 'must specify either targetWWNs or wwids, but not both'))
  if (names.length > 0 && wwids.length > 0) errors.push(invalid(path.child('targetWWNs'), names, 'targetWWNs and wwids can not be specified simultaneously'))
  if (names.length === 0) return errors
  if (lun === undefined) errors.push(required(path.child('lun'), 'lun is required if targetWWNs is specified'))
  else if (lun < 0 || lun > 255) errors.push(invalid(path.child('lun'), lun, inclusiveRange(0, 255)))
  return errors
}

/** Whether a key’s prefix is kubernetes.io or k8s.io, or below one of them, in any case of letters. A key without a slash is its own prefix. */
const isReserved = (key: string): boolean => {
  const [prefix = ''] = key.split('/', 1)
  const namespace = `.${prefix.toLowerCase()}`
  return namespace.endsWith('.kubernetes.io') || namespace.endsWith('.k8s.io')
}

const validateFlexOptions: SourceValidator<{ readonly options?: Readonly<Record<string, string>> }> = ({ options = {} }, path) =>
  Object.keys(options)
    .filter(isReserved)
    .map(key => invalid(path.child('options').key(key), key, 'kubernetes.io and k8s.io namespaces are reserved'))

const CACHING = ['None', 'ReadOnly', 'ReadWrite']
const DISK_KINDS = ['Dedicated', 'Managed', 'Shared']
const MANAGED_DISK = '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}'
const BLOB_DISK = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd'

/** A managed disk has the id of a resource, any other the address of a blob. The form that is expected stands in the error as the supported value. */
function validateAzureDisk(source: AzureDiskVolumeSource, path: FieldPath): FieldError[] {
  const { cachingMode, diskURI, kind } = source
  const errors = needs('diskName', 'diskURI')(source, path)
  if (!CACHING.includes(cachingMode)) errors.push(notSupported(path.child('cachingMode'), cachingMode, CACHING))
  if (!DISK_KINDS.includes(kind)) errors.push(notSupported(path.child('kind'), kind, DISK_KINDS))
  if (kind === 'Managed' && !diskURI.startsWith('/subscriptions/')) errors.push(notSupported(path.child('diskURI'), diskURI, [MANAGED_DISK]))
  if (kind !== 'Managed' && !diskURI.startsWith('https://')) errors.push(notSupported(path.child('diskURI'), diskURI, [BLOB_DISK]))
  return errors
}

const validateStorageOs = ({ volumeName = '', volumeNamespace }: Omit<StorageOSVolumeSource, 'secretRef'>, path: FieldPath): FieldError[] => [
  ...(volumeName === '' ? [required(path.child('volumeName'))] : validateDnsLabel(volumeName, path.child('volumeName'))),
  ...(volumeNamespace ? validateDnsLabel(volumeNamespace, path.child('volumeNamespace')) : []),
]

/** A reference to a secret, where there is one, is complete. */
const needsOfSecret =
  <K extends string>(...fields: readonly K[]): SourceValidator<{ readonly secretRef?: Readonly<Partial<Record<K, string>>> }> =>
  ({ secretRef }, path) =>
    secretRef ? needs(...fields)(secretRef, path.child('secretRef')) : []

/** A DNS subdomain of at most 63 characters, upper-case letters allowed. An empty name is missing, and before 1.35 malformed, too. Without `release`: one before. */
export function validateCsiDriverName(name: string, path: FieldPath, release?: Release): FieldError[] {
  const errors: FieldError[] = []
  if (name === '') {
    errors.push(required(path))
    if (release && isSince(release, '1.35')) return errors
  }
  if (name.length > 63) errors.push(tooLong(path, 63))
  return [...errors, ...isDns1123Subdomain(name.toLowerCase()).map(text => invalid(path, name, text))]
}

const ORIGINS: Partial<Record<FieldError['reason'], string>> = {
  FieldValueRequired: '',
  FieldValueTooLong: 'maxLength',
  FieldValueInvalid: 'format=k8s-long-name-caseless',
}

/** Errors of a driver's name that declared rules cover. */
export const coveredDriverName = (errors: readonly FieldError[]): FieldError[] => errors.flatMap(error => covered(ORIGINS[error.reason] ?? '', [error]))

/** Upstream’s path of a malformed secret’s name lacks `nodePublishSecretRef`. */
function validateCsi({ driver, nodePublishSecretRef: ref }: CSIVolumeSource, path: FieldPath, { release }: { readonly release: Release }): FieldError[] {
  const errors = validateCsiDriverName(driver, path.child('driver'), release)
  if (!ref) return errors
  const { name } = ref
  if (!name) return [...errors, required(path.child('nodePublishSecretRef', 'name'))]
  return [...errors, ...nameIsDnsSubdomain(name, false).map(text => invalid(path.child('name'), name, text))]
}

/** Kinds of sources that pods and persistent volumes have in common and that are judged alike. */
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

/** Kinds of sources as pods have them; persistent volumes have further rules for these. */
export const podSources = {
  glusterfs: needs('endpoints', 'path'),
  cinder: both(needs('volumeID'), needsOfSecret('name')),
  azureFile: needs('secretName', 'shareName'),
  storageos: both(validateStorageOs, needsOfSecret('name')),
  csi: validateCsi,
}

/** The same of persistent volumes, but for csi, iscsi and glusterfs, which are the kind's own. */
export const persistentSources = {
  cinder: both(needs('volumeID'), needsOfSecret('name', 'namespace')),
  storageos: both(validateStorageOs, needsOfSecret('name', 'namespace')),
}
