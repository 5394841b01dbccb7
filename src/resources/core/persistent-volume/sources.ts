import type { FieldError } from '../../../meta/field-error.ts'
import { forbidden, invalid, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { nameIsDnsLabel } from '../../../meta/names.ts'
import type { KubeObject } from '../../../meta/object.ts'
import type { ApiStruct } from '../checks.ts'
import { validateDnsLabel, validateDnsSubdomain } from '../checks.ts'
import { validateIscsi } from '../volume/iscsi.ts'
import { validateNoBacksteps } from '../volume/paths.ts'
import { commonSources, persistentSources, validateCsiDriverName } from '../volume/sources.ts'

type SourceCheck = (source: ApiStruct, path: FieldPath) => FieldError[]

const glusterfs: SourceCheck = (source, path) => {
  const errors: FieldError[] = []
  for (const field of ['endpoints', 'path']) if (!source[field]) errors.push(required(path.child(field)))
  const namespace: string | undefined = source.endpointsNamespace
  if (namespace === undefined) return errors
  const at = path.child('endpointsNamespace')
  if (namespace === '') errors.push(invalid(at, namespace, 'if the endpointnamespace is set, it must be a valid namespace name'))
  else errors.push(...nameIsDnsLabel(namespace, false).map(text => invalid(at, namespace, text)))
  return errors
}

const azureFile: SourceCheck = (source, path) => {
  const errors: FieldError[] = []
  for (const field of ['secretName', 'shareName']) if (!source[field]) errors.push(required(path.child(field)))
  if (source.secretNamespace === '') errors.push(required(path.child('secretNamespace')))
  return errors
}

const local: SourceCheck = (source, path) => {
  const errors: FieldError[] = []
  if (!source.path) errors.push(required(path.child('path')))
  else errors.push(...validateNoBacksteps(source.path, path.child('path')))
  return errors
}

function validateSecretReference(reference: ApiStruct, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  if (!reference.name) errors.push(required(path.child('name')))
  else errors.push(...validateDnsSubdomain(reference.name, path.child('name')))
  if (!reference.namespace) errors.push(required(path.child('namespace')))
  else errors.push(...validateDnsLabel(reference.namespace, path.child('namespace')))
  return errors
}

const csi: SourceCheck = (source, path) => {
  const errors: FieldError[] = []
  errors.push(...validateCsiDriverName(source.driver ?? '', path.child('driver')))
  if (!source.volumeHandle) errors.push(required(path.child('volumeHandle')))
  for (const field of ['controllerPublishSecretRef', 'controllerExpandSecretRef', 'nodePublishSecretRef', 'nodeExpandSecretRef']) {
    if (source[field]) errors.push(...validateSecretReference(source[field], path.child(field)))
  }
  return errors
}

/** Every kind of source, in the order in which upstream looks at them; `at`: the path in messages where it is not the field's name. */
const SOURCES: readonly { readonly name: string; readonly check?: SourceCheck; readonly at?: string; readonly twiceAt?: string }[] = [
  { name: 'hostPath', check: commonSources.hostPath },
  { name: 'gcePersistentDisk', check: commonSources.gcePersistentDisk, at: 'persistentDisk' },
  { name: 'awsElasticBlockStore', check: commonSources.awsElasticBlockStore },
  { name: 'glusterfs', check: glusterfs },
  { name: 'flocker', check: commonSources.flocker },
  { name: 'nfs', check: commonSources.nfs },
  { name: 'rbd', check: commonSources.rbd },
  { name: 'quobyte', check: commonSources.quobyte },
  { name: 'cephfs', check: commonSources.cephfs, twiceAt: 'cephFS' },
  { name: 'iscsi' },
  { name: 'cinder', check: persistentSources.cinder },
  { name: 'fc', check: commonSources.fc },
  { name: 'flexVolume', check: commonSources.flexVolume },
  { name: 'azureFile', check: azureFile },
  { name: 'vsphereVolume', check: commonSources.vsphereVolume },
  { name: 'photonPersistentDisk', check: commonSources.photonPersistentDisk },
  { name: 'portworxVolume', check: commonSources.portworxVolume },
  { name: 'azureDisk', check: commonSources.azureDisk },
  { name: 'scaleIO', check: commonSources.scaleIO },
  { name: 'local', check: local },
  { name: 'storageos', check: persistentSources.storageos },
  { name: 'csi', check: csi },
]

const byName = new Map(SOURCES.map(source => [source.name, source]))

/** Names of the sources that a PersistentVolumeSpec has, in the order of checking. */
export const sourcesOf = (spec: ApiStruct): string[] => SOURCES.filter(({ name }) => spec[name] !== undefined).map(({ name }) => name)

/** Checks one source of the volume's spec, which stands at `specPath`; `further`: another one came before it. */
export function checkSource(
  volume: Pick<KubeObject, 'metadata'> & { spec?: ApiStruct },
  name: string,
  further: boolean,
  specPath: FieldPath,
  errors: FieldError[],
): void {
  const { check, at, twiceAt } = byName.get(name) ?? {}
  const source: ApiStruct = volume.spec[name]
  // A flexVolume is never refused for being the second.
  if (further && name !== 'flexVolume') {
    errors.push(forbidden(specPath.child(twiceAt ?? name), 'may not specify more than 1 volume type'))
    return
  }
  const path = specPath.child(at ?? name)
  errors.push(...(name === 'iscsi' ? validateIscsi(source, path, { name: volume.metadata.name ?? '' }) : (check?.(source, path) ?? [])))
  if (name === 'local' && !volume.spec.nodeAffinity) errors.push(required(specPath.child('nodeAffinity'), 'Local volume requires node affinity'))
}
