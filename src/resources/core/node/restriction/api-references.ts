import type { Pod, PodSpec, Volume, VolumeProjection } from '../../../../api/core/v1.types.ts'
import { quote } from '../../../../lib/go-quote.ts'
import { configMapNames, secretNames } from '../../pod-spec/references.ts'
import { type Restricted, sinceOf } from './restricted.ts'

/**
 * Returns the kind of API object that a mirror pod refers to, or undefined if it refers to none. Such a pod is refused:
 * through it, the node would gain access to that object.
 */
export function apiReference({ spec }: Pod, restricted: Restricted): string | undefined {
  const referred = sinceOf(restricted, '1.34') ? referenceOf(spec) : earlyReferenceOf(spec, restricted)
  if (referred === undefined || referred.startsWith('error ')) return referred
  return `node ${quote(restricted.node)} can not create pods that reference ${referred}`
}

const projections = ({ projected }: Volume): readonly VolumeProjection[] => projected?.sources ?? []

function earlyReferenceOf(spec: PodSpec, restricted: Restricted): string | undefined {
  const volumes = spec.volumes ?? []
  if (spec.serviceAccountName) return 'a service account'
  if (secretNames(spec).length > 0) return 'secrets'
  if (configMapNames(spec).length > 0) return 'configmaps'
  if (sinceOf(restricted, '1.29') && volumes.some(volume => projections(volume).some(source => source.clusterTrustBundle)))
    return 'clustertrustbundles'
  if (volumes.some(volume => volume.persistentVolumeClaim)) return 'persistentvolumeclaims'
  return sinceOf(restricted, '1.32') && (spec.resourceClaims ?? []).length > 0 ? 'resourceclaims' : undefined
}

/** HasAPIObjectReference of pkg/api/pod in k8s.io/kubernetes 1.34. */
function referenceOf(spec: PodSpec): string | undefined {
  if (spec.serviceAccountName) return 'serviceaccounts'
  if (secretNames(spec).length > 0) return 'secrets'
  if (configMapNames(spec).length > 0) return 'configmaps'
  if ((spec.resourceClaims ?? []).length > 0) return 'resourceclaims'
  for (const volume of spec.volumes ?? []) {
    const referred = referenceOfVolume(volume)
    if (referred !== undefined) return referred
  }
  return undefined
}

/** Volume sources that refer to no API object. */
const FREE = [
  'awsElasticBlockStore',
  'azureDisk',
  'cephfs',
  'cinder',
  'downwardAPI',
  'emptyDir',
  'fc',
  'flexVolume',
  'flocker',
  'gcePersistentDisk',
  'gitRepo',
  'hostPath',
  'image',
  'iscsi',
  'nfs',
  'photonPersistentDisk',
  'portworxVolume',
  'quobyte',
  'rbd',
  'scaleIO',
  'storageos',
  'vsphereVolume',
] as const satisfies readonly (keyof Volume)[]

const unchecked = (why: string): string => `error checking mirror pod for API references: ${why}`

/**
 * Returns the first kind that the volume refers to, or an error for a source that is not known here: a mirror pod may
 * have neither.
 */
function referenceOfVolume(volume: Volume): string | undefined {
  if (FREE.some(source => volume[source])) return undefined
  if (volume.configMap) return 'configmaps (via configmap volumes)'
  if (volume.secret) return 'secrets (via secret volumes)'
  if (volume.csi) return 'csidrivers (via CSI volumes)'
  if (volume.glusterfs) return 'endpoints (via glusterFS volumes)'
  if (volume.persistentVolumeClaim) return 'persistentvolumeclaims'
  if (volume.ephemeral) return 'persistentvolumeclaims (via ephemeral volumes)'
  if (volume.azureFile) return 'secrets (via azureFile volumes)'
  if (!volume.projected) return unchecked(`unknown volume type for volume  ${quote(volume.name)}`)
  for (const source of projections(volume)) {
    if (source.configMap) return 'configmaps (via projected volumes)'
    if (source.secret) return 'secrets (via projected volumes)'
    if (source.serviceAccountToken) return 'serviceaccounts (via projected volumes)'
    if (source.clusterTrustBundle) return 'clustertrustbundles'
    if (source.podCertificate) return 'podcertificates'
    if (!source.downwardAPI) return unchecked(`unknown source for projected volume ${quote(volume.name)}`)
  }
  return undefined
}
