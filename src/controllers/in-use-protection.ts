import { getKind, type KindId, listKind, updateKind } from '../catalog/define.ts'
import type { ResourceId } from '../catalog/definition.ts'
import { errorMessage } from '../lib/error-message.ts'
import type { TypedObject } from '../meta/object.ts'
import { isStatusError } from '../meta/status.ts'
import { PROTECTED_ATTRIBUTES, PROTECTED_CLAIMS, PROTECTED_VOLUMES } from '../resources/core/in-use-protection.ts'
import type { PersistentVolume, PersistentVolumeClaim, Pod } from '../resources/core/v1.types.ts'
import { CLAIMS, PODS, VOLUME_ATTRIBUTES_CLASSES, VOLUMES } from '../resources/kinds.ts'
import type { VolumeAttributesClass } from '../resources/storage/v1beta1.types.ts'
import { type Controller, type ControllerEnvironment, follow, followMetadata, WorkQueue } from './controller.ts'

interface Protection<T extends TypedObject> {
  readonly kind: KindId<T>
  readonly finalizer: string
  readonly isUsed: (env: ControllerEnvironment, object: T) => Promise<boolean>
  /** Kinds whose objects use those of the kind: when one of them changes, what waits is looked at again. */
  readonly users: readonly ResourceId[]
  /** Only objects of its own namespace use an object. */
  readonly isNamespaced?: true
}

/** Adds the finalizer to objects that lack it, and removes it from those that are deleted and that nobody uses. */
const protectionController =
  <T extends TypedObject>({ kind, finalizer, isUsed, users, isNamespaced }: Protection<T>): Controller =>
  async (env, signal) => {
    /** Keys of objects that are deleted and used. */
    const waiting = new Set<string>()
    const settle = async (key: string): Promise<void> => {
      const [namespace = '', name = ''] = key.split('/')
      const object = await getKind(env.access, kind, namespace, name).catch(absent)
      const { deletionTimestamp, finalizers = [] } = object?.metadata ?? {}
      const isKept = finalizers.includes(finalizer)
      waiting.delete(key)
      if (!object || isKept !== (deletionTimestamp !== undefined)) return
      // Before it is asked who uses it: who ends the use afterwards finds it here.
      if (isKept) waiting.add(key)
      if (isKept && (await isUsed(env, object))) return
      waiting.delete(key)
      const next = isKept ? finalizers.filter(each => each !== finalizer) : [...finalizers, finalizer]
      await updateKind(env.access, kind, { namespace, name }, now => ({ ...now, metadata: { ...now.metadata, finalizers: next } })).catch(absent)
    }
    const queue = new WorkQueue(
      4,
      signal,
      settle,
      (key, error) => env.logger.debug(2, 'object is not settled yet', { resource: kind.resource, key, error: errorMessage(error) }),
      env.queues?.meter(`${kind.resource}_protection`),
    )
    const again = (namespace: string | undefined): void => {
      for (const key of waiting) if (namespace === undefined || key.startsWith(`${namespace}/`)) queue.add(key)
    }
    await Promise.all([
      follow(env, kind, signal, ({ type, object }) => {
        if (!object || type === 'deleted') return
        const { namespace = '', name, deletionTimestamp, finalizers = [] } = object.metadata
        if (finalizers.includes(finalizer) === (deletionTimestamp !== undefined)) queue.add(`${namespace}/${name}`)
      }),
      ...users.map(user =>
        followMetadata(env, user, signal, () => ({ type, object }) => {
          if (waiting.size > 0 && object && type !== 'added') again(isNamespaced && object.metadata.namespace)
        }),
      ),
    ])
  }

function absent(error: unknown): undefined {
  if (!isStatusError(error, 'NotFound')) throw error
  return undefined
}

/** A pod that a kubelet has cleared, or that was deleted by force: it waits for nothing but its finalizers. */
const isShutDown = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0

/** Whether a pod that has a node uses the claim. A claim of an ephemeral volume has the name of its pod and volume, and the pod for its owner. */
function usesClaim(pod: Pod, { metadata }: PersistentVolumeClaim): boolean {
  if (!pod.spec.nodeName) return false
  const isOwn = (metadata.ownerReferences ?? []).some(({ uid, controller }) => controller === true && uid === pod.metadata.uid)
  return (pod.spec.volumes ?? []).some(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim?.claimName === metadata.name) return true
    return ephemeral !== undefined && !isShutDown(pod) && isOwn && `${pod.metadata.name}-${name}` === metadata.name
  })
}

const namesClass = ({ spec, status }: PersistentVolumeClaim, name: string): boolean =>
  [spec.volumeAttributesClassName, status.currentVolumeAttributesClassName, status.modifyVolumeStatus?.targetVolumeAttributesClassName].includes(name)

/** Source: pkg/controller/volume/pvcprotection in k8s.io/kubernetes. */
export const claimProtection = protectionController<PersistentVolumeClaim>({
  kind: CLAIMS,
  finalizer: PROTECTED_CLAIMS.finalizer,
  users: [PODS],
  isNamespaced: true,
  isUsed: async (env, claim) => (await listKind(env.access, PODS, claim.metadata.namespace ?? '')).some(pod => usesClaim(pod, claim)),
})

/** Source: pkg/controller/volume/pvprotection in k8s.io/kubernetes. */
export const volumeProtection = protectionController<PersistentVolume>({
  kind: VOLUMES,
  finalizer: PROTECTED_VOLUMES.finalizer,
  users: [],
  isUsed: async (_env, { status }) => status.phase === 'Bound',
})

/** Source: pkg/controller/volume/vacprotection in k8s.io/kubernetes. */
export const attributesClassProtection = protectionController<VolumeAttributesClass>({
  kind: VOLUME_ATTRIBUTES_CLASSES,
  finalizer: PROTECTED_ATTRIBUTES.finalizer,
  users: [CLAIMS, VOLUMES],
  isUsed: async (env, { metadata: { name = '' } }) =>
    (await listKind(env.access, CLAIMS, '')).some(claim => namesClass(claim, name)) ||
    (await listKind(env.access, VOLUMES, '')).some(({ spec }) => spec.volumeAttributesClassName === name),
})
