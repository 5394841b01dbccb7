import { invalid, notSupported, required, tooLong } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { isDns1123Subdomain, nameIsDnsSubdomain } from '../../../meta/names.ts'
import type { ApiStruct, Errors } from '../checks.ts'
import { checkDnsLabel, inclusiveRange, report } from '../checks.ts'
import { checkNoBacksteps } from './paths.ts'

/** The check of one kind of source; `path` is the source's own. */
export type SourceCheck = (source: ApiStruct, path: FieldPath, errors: Errors) => void

/** A check that the named members are given. */
const needs =
  (...fields: string[]): SourceCheck =>
  (source, path, errors) => {
    for (const field of fields) if (!source[field]) errors.push(required(path.child(field)))
  }

const needsList =
  (...fields: string[]): SourceCheck =>
  (source, path, errors) => {
    for (const field of fields) if (!source[field]?.length) errors.push(required(path.child(field)))
  }

const all =
  (...checks: SourceCheck[]): SourceCheck =>
  (source, path, errors) => {
    for (const check of checks) check(source, path, errors)
  }

const HOST_PATH_TYPES = ['', 'BlockDevice', 'CharDevice', 'Directory', 'DirectoryOrCreate', 'File', 'FileOrCreate', 'Socket']

const hostPath: SourceCheck = (source, path, errors) => {
  if (!source.path) return void errors.push(required(path.child('path')))
  checkNoBacksteps(source.path, path.child('path'), errors)
  if (source.type !== undefined && !HOST_PATH_TYPES.includes(source.type)) errors.push(notSupported(path.child('type'), source.type, HOST_PATH_TYPES))
}

/** Partitions start at 0, whatever the text says. */
const partition: SourceCheck = (source, path, errors) => {
  const number: number = source.partition ?? 0
  if (number < 0 || number > 255) errors.push(invalid(path.child('partition'), number, inclusiveRange(1, 255)))
}

const nfs: SourceCheck = (source, path, errors) => {
  needs('server', 'path')(source, path, errors)
  if (!(source.path ?? '').startsWith('/')) errors.push(invalid(path.child('path'), source.path ?? '', 'must be an absolute path'))
}

const HOST_PORT = /^(\[[^\]]*\]|[^:[\]]*):[^:]*$/
const quobyte: SourceCheck = (source, path, errors) => {
  const form = 'must be a host:port pair or multiple pairs separated by commas'
  if (!source.registry) errors.push(required(path.child('registry'), form))
  else if ((source.tenant ?? '').length >= 65) errors.push(required(path.child('tenant'), 'must be a UUID and may not exceed a length of 64 characters'))
  else {
    for (const pair of source.registry.split(',')) if (!HOST_PORT.test(pair)) errors.push(invalid(path.child('registry'), source.registry, form))
  }
  needs('volume')(source, path, errors)
}

const flocker: SourceCheck = (source, path, errors) => {
  const { datasetName, datasetUUID } = source
  if (!datasetName && !datasetUUID) errors.push(required(path, 'one of datasetName and datasetUUID is required'))
  if (datasetName && datasetUUID) errors.push(invalid(path, 'resource', 'datasetName and datasetUUID can not be specified simultaneously'))
  if (datasetName?.includes('/')) errors.push(invalid(path.child('datasetName'), datasetName, "must not contain '/'"))
}

const fc: SourceCheck = (source, path, errors) => {
  const names: string[] = source.targetWWNs ?? []
  const ids: string[] = source.wwids ?? []
  if (names.length === 0 && ids.length === 0) errors.push(required(path.child('targetWWNs'), 'must specify either targetWWNs or wwids, but not both'))
  if (names.length > 0 && ids.length > 0) errors.push(invalid(path.child('targetWWNs'), names, 'targetWWNs and wwids can not be specified simultaneously'))
  if (names.length === 0) return
  if (source.lun === undefined) errors.push(required(path.child('lun'), 'lun is required if targetWWNs is specified'))
  else if (source.lun < 0 || source.lun > 255) errors.push(invalid(path.child('lun'), source.lun, inclusiveRange(0, 255)))
}

const flex: SourceCheck = (source, path, errors) => {
  needs('driver')(source, path, errors)
  for (const key of Object.keys(source.options ?? {})) {
    const namespace = `.${(key.split('/', 1)[0] as string).toLowerCase()}`
    if (namespace.endsWith('.kubernetes.io') || namespace.endsWith('.k8s.io')) {
      errors.push(invalid(path.child('options').key(key), key, 'kubernetes.io and k8s.io namespaces are reserved'))
    }
  }
}

const CACHING = ['None', 'ReadOnly', 'ReadWrite']
const DISK_KINDS = ['Dedicated', 'Managed', 'Shared']
const azureDisk: SourceCheck = (source, path, errors) => {
  needs('diskName', 'diskURI')(source, path, errors)
  const { cachingMode, kind } = source
  const uri: string = source.diskURI ?? ''
  if (cachingMode !== undefined && !CACHING.includes(cachingMode)) errors.push(notSupported(path.child('cachingMode'), cachingMode, CACHING))
  if (kind !== undefined && !DISK_KINDS.includes(kind)) errors.push(notSupported(path.child('kind'), kind, DISK_KINDS))
  if (kind === 'Managed' && !uri.startsWith('/subscriptions/')) {
    const form = '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}'
    errors.push(notSupported(path.child('diskURI'), uri, [form]))
  }
  if (kind !== undefined && kind !== 'Managed' && !uri.startsWith('https://')) {
    errors.push(notSupported(path.child('diskURI'), uri, ['https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd']))
  }
}

const storageos: SourceCheck = (source, path, errors) => {
  if (!source.volumeName) errors.push(required(path.child('volumeName')))
  else checkDnsLabel(source.volumeName, path.child('volumeName'), errors)
  if (source.volumeNamespace) checkDnsLabel(source.volumeNamespace, path.child('volumeNamespace'), errors)
}

/** A reference to a secret, where there is one, is complete. */
const secretRef =
  (...fields: string[]): SourceCheck =>
  (source, path, errors) => {
    if (source.secretRef) needs(...fields)(source.secretRef, path.child('secretRef'), errors)
  }

export function checkCsiDriverName(name: string, path: FieldPath, errors: Errors): void {
  if (name === '') errors.push(required(path))
  if (name.length > 63) errors.push(tooLong(path, 63))
  report(isDns1123Subdomain(name.toLowerCase()), path, name, errors)
}

const csi: SourceCheck = (source, path, errors) => {
  checkCsiDriverName(source.driver ?? '', path.child('driver'), errors)
  const ref = source.nodePublishSecretRef
  if (!ref) return
  if (!ref.name) errors.push(required(path.child('nodePublishSecretRef', 'name')))
  else report(nameIsDnsSubdomain(ref.name, false), path.child('name'), ref.name, errors)
}

/** Kinds of sources that pods and persistent volumes have in common and that are checked alike. */
export const commonSources = {
  hostPath,
  gcePersistentDisk: all(needs('pdName'), partition),
  awsElasticBlockStore: all(needs('volumeID'), partition),
  nfs,
  flocker,
  rbd: all(needsList('monitors'), needs('image')),
  cephfs: needsList('monitors'),
  quobyte,
  fc,
  flexVolume: flex,
  vsphereVolume: needs('volumePath'),
  photonPersistentDisk: needs('pdID'),
  portworxVolume: needs('volumeID'),
  azureDisk,
  scaleIO: needs('gateway', 'system', 'volumeName'),
} satisfies Record<string, SourceCheck>

/** Kinds of sources as pods have them; persistent volumes have further rules for these. */
export const podSources = {
  glusterfs: needs('endpoints', 'path'),
  cinder: all(needs('volumeID'), secretRef('name')),
  azureFile: needs('secretName', 'shareName'),
  storageos: all(storageos, secretRef('name')),
  csi,
} satisfies Record<string, SourceCheck>

/** The same of persistent volumes, but for csi, iscsi and glusterfs, which are the kind's own. */
export const persistentSources = {
  cinder: all(needs('volumeID'), secretRef('name', 'namespace')),
  storageos: all(storageos, secretRef('name', 'namespace')),
} satisfies Record<string, SourceCheck>
