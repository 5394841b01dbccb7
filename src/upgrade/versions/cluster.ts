import { isJsonObject, type KubeObject } from '../../api/meta/object.ts'
import type { OldVersion } from './old-version.ts'

/** Moves the members of `spec` to the top level, where v1 has them. */
function toRuntimeClass(object: KubeObject): KubeObject {
  const { spec } = object
  delete object.spec
  if (!isJsonObject(spec)) return object
  const { runtimeHandler, overhead, scheduling } = spec
  object.handler = runtimeHandler ?? ''
  if (overhead !== undefined) object.overhead = overhead
  if (scheduling !== undefined) object.scheduling = scheduling
  return object
}

const STORAGE = [
  ['CSIDriver', 'csidrivers'],
  ['CSINode', 'csinodes'],
  ['StorageClass', 'storageclasses'],
  ['VolumeAttachment', 'volumeattachments'],
] as const

const storage = (name: string, type: string, kind: string, resource: string): OldVersion => ({
  group: 'storage.k8s.io',
  name,
  kind,
  type,
  into: { group: 'storage.k8s.io', resource },
})

/**
 * Storage, scheduling and node kinds of releases up to 1.21. Except for RuntimeClass they differ only in apiVersion.
 */
export const OLD_CLUSTER: readonly OldVersion[] = [
  ...STORAGE.map(([kind, resource]) => storage('v1beta1', `storagev1beta1.${kind}`, kind, resource)),
  storage('v1alpha1', 'storagev1alpha1.VolumeAttachment', 'VolumeAttachment', 'volumeattachments'),
  storage('v1alpha1', 'storagev1alpha1.CSIStorageCapacity', 'CSIStorageCapacity', 'csistoragecapacities'),
  ...['v1beta1', 'v1alpha1'].map(name => ({
    group: 'scheduling.k8s.io',
    name,
    kind: 'PriorityClass',
    type: `schedulingV1${name.slice(2)}.PriorityClass`,
    into: { group: 'scheduling.k8s.io', resource: 'priorityclasses' },
  })),
  {
    group: 'coordination.k8s.io',
    name: 'v1beta1',
    kind: 'Lease',
    type: 'coordinationV1beta1.Lease',
    into: { group: 'coordination.k8s.io', resource: 'leases' },
  },
  {
    group: 'node.k8s.io',
    name: 'v1alpha1',
    kind: 'RuntimeClass',
    type: 'nodeV1alpha1.RuntimeClass',
    into: { group: 'node.k8s.io', resource: 'runtimeclasses' },
    toHub: toRuntimeClass,
  },
]
