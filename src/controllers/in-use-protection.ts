import type { PersistentVolume, PersistentVolumeClaim, Pod } from '../api/core/v1.types.ts'
import type { TypedObject } from '../api/meta/object.ts'
import type { VolumeAttributesClass } from '../api/storage/v1beta1.types.ts'
import { listKind } from '../catalog/define.ts'
import { eachInSlices } from '../lib/slices.ts'
import { PROTECTED_ATTRIBUTES, PROTECTED_CLAIMS, PROTECTED_VOLUMES } from '../resources/core/in-use-protection.ts'
import { CLAIMS, PODS, VOLUME_ATTRIBUTES_CLASSES, VOLUMES } from '../resources/kinds.ts'
import { protectionController } from './protection.ts'

/**
 * Whether the pod has terminated: a kubelet has set the grace period to 0, or it was force-deleted. Only finalizers
 * keep it.
 */
const isShutDown = ({ metadata }: TypedObject): boolean =>
  metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0

/** Scheduled pods that use claims: by claim name, and by pod UID and volume for the claims of ephemeral volumes. */
export class ClaimUsers {
  readonly #byName = new Map<string, Pod>()
  readonly #byOwner = new Map<string, Pod>()

  /** Adds the claims of a scheduled pod. A terminated pod still holds its named claims, but not its ephemeral ones. */
  add(pod: Pod): void {
    if (!pod.spec.nodeName) return
    const { name: podName, uid } = pod.metadata
    for (const { name, persistentVolumeClaim: claim, ephemeral } of pod.spec.volumes ?? []) {
      if (claim) this.#byName.set(claim.claimName, pod)
      if (ephemeral && !isShutDown(pod)) this.#byOwner.set(`${uid} ${podName}-${name}`, pod)
    }
  }

  of({ metadata: { name = '', ownerReferences = [] } }: PersistentVolumeClaim): Pod | undefined {
    const owner = ownerReferences.find(({ controller }) => controller === true)
    return this.#byName.get(name) ?? this.#byOwner.get(`${owner?.uid} ${name}`)
  }
}

/**
 * Removes the finalizer of deleted claims that no pod uses. Source: pkg/controller/volume/pvcprotection in
 * k8s.io/kubernetes.
 */
export const claimProtection = protectionController<PersistentVolumeClaim>({
  kind: CLAIMS,
  finalizer: PROTECTED_CLAIMS.finalizer,
  users: [{ kind: PODS, mayEndUse: isShutDown }],
  async findUsers(env, namespace) {
    const users = new ClaimUsers()
    await eachInSlices(await listKind(env.access, PODS, namespace), pod => users.add(pod))
    return claim => {
      const pod = users.of(claim)
      return pod && { kind: PODS, object: pod }
    }
  },
})

export const isVolumeInUse = ({ status }: PersistentVolume): boolean => status.phase === 'Bound'

/**
 * Removes the finalizer of deleted volumes that are not bound. Source: pkg/controller/volume/pvprotection in
 * k8s.io/kubernetes.
 */
export const volumeProtection = protectionController<PersistentVolume>({
  kind: VOLUMES,
  finalizer: PROTECTED_VOLUMES.finalizer,
  users: [],
  findUsers: async () => volume => (isVolumeInUse(volume) ? { kind: VOLUMES, object: volume } : undefined),
})

/**
 * Removes the finalizer of deleted VolumeAttributesClasses that no claim or volume names. Source:
 * pkg/controller/volume/vacprotection in k8s.io/kubernetes.
 */
export const attributesClassProtection = protectionController<VolumeAttributesClass>({
  kind: VOLUME_ATTRIBUTES_CLASSES,
  finalizer: PROTECTED_ATTRIBUTES.finalizer,
  users: [CLAIMS, VOLUMES].map(kind => ({ kind, mayEndUse: () => true })),
  async findUsers(env) {
    const claims = new Map<string, PersistentVolumeClaim>()
    const volumes = new Map<string, PersistentVolume>()
    await eachInSlices(await listKind(env.access, CLAIMS, ''), claim => {
      for (const name of classesOf(claim)) claims.set(name, claim)
    })
    await eachInSlices(await listKind(env.access, VOLUMES, ''), volume => {
      if (volume.spec.volumeAttributesClassName) volumes.set(volume.spec.volumeAttributesClassName, volume)
    })
    return ({ metadata: { name = '' } }) => {
      const [claim, volume] = [claims.get(name), volumes.get(name)]
      return claim ? { kind: CLAIMS, object: claim } : volume && { kind: VOLUMES, object: volume }
    }
  },
})

const classesOf = ({ spec, status }: PersistentVolumeClaim): string[] =>
  [
    spec.volumeAttributesClassName,
    status.currentVolumeAttributesClassName,
    status.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ].flatMap(name => name || [])
