import type { Volume } from '../../../../api/core/v1.types.ts'
import { isStepDone } from '../../../../lib/steps.ts'
import { isSince } from '../../../../lifecycle/release.ts'
import type { PodCheck } from '../check.ts'
import { plural, quoteItems, sortValues } from '../words.ts'

type VolumeType = Exclude<keyof Volume, 'name'>

const ALLOWED: readonly VolumeType[] = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
]

const ALLOWED_SINCE_1_33: readonly VolumeType[] = [...ALLOWED, 'image']

/** Volume types that are not allowed, in the order and words of messages. A type that is missing here is `unknown`. */
const FORBIDDEN: readonly VolumeType[] = [
  'hostPath',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'gitRepo',
  'nfs',
  'iscsi',
  'glusterfs',
  'rbd',
  'flexVolume',
  'cinder',
  'cephfs',
  'flocker',
  'fc',
  'azureFile',
  'vsphereVolume',
  'quobyte',
  'azureDisk',
  'photonPersistentDisk',
  'portworxVolume',
  'scaleIO',
  'storageos',
]

/**
 * Restricted: only volumes that belong to the pod or are provisioned for it. Image volumes are allowed since release
 * 1.33.
 */
export const restrictedVolumes: PodCheck = function* ({ spec }, { release }) {
  const allowed = isSince(release, '1.33') ? ALLOWED_SINCE_1_33 : ALLOWED
  const names: string[] = []
  const types = new Set<string>()
  for (const volume of spec.volumes ?? []) {
    if (isStepDone()) yield
    if (allowed.some(type => volume[type] !== undefined)) continue
    names.push(volume.name)
    types.add(FORBIDDEN.find(type => volume[type] !== undefined) ?? 'unknown')
  }
  if (names.length === 0) return undefined
  const listed = yield* sortValues(types)
  const kinds = plural(listed.length, 'restricted volume type', 'restricted volume types')
  return {
    reason: 'restricted volume types',
    detail: `${plural(names.length, 'volume', 'volumes')} ${quoteItems(names)} ${plural(names.length, 'uses', 'use')} ${kinds} ${quoteItems(listed)}`,
  }
}
