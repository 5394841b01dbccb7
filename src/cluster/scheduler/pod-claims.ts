import type { PersistentVolumeClaim, Pod } from '../../api/core/v1.types.ts'
import { isControlledBy } from '../shared/owner.ts'
import { claimNameOf } from '../shared/pod-claims.ts'
import type { ClusterObjects } from './snapshot.ts'

/** A volume of a pod that needs a claim. */
export interface VolumeClaim {
  readonly name: string
  /** Whether the claim is made for the pod alone. */
  readonly isEphemeral: boolean
  /** Undefined if it does not exist. */
  readonly claim: PersistentVolumeClaim | undefined
}

/** Returns the claims of a pod, in the order of its volumes. */
export function volumeClaims(pod: Pod, objects: ClusterObjects): VolumeClaim[] {
  const { namespace = '' } = pod.metadata
  return (pod.spec.volumes ?? []).flatMap(volume => {
    const name = claimNameOf(pod, volume)
    if (name === undefined) return []
    const claim = objects.get<PersistentVolumeClaim>('PersistentVolumeClaim', namespace, name)
    return [{ name, isEphemeral: volume.persistentVolumeClaim === undefined, claim }]
  })
}

/**
 * Returns why the claim of an ephemeral volume is not that of the pod. Undefined if it is. Source: VolumeIsForPod of
 * k8s.io/component-helpers.
 */
export function foreignClaim(pod: Pod, claim: PersistentVolumeClaim): string | undefined {
  if (isControlledBy(claim, pod)) return undefined
  const { namespace, name } = pod.metadata
  return `PVC ${claim.metadata.namespace}/${claim.metadata.name} was not created for pod ${namespace}/${name} (pod is not owner)`
}

/** Text of the error that a claim does not exist. */
export const claimNotFound = (name: string): string => `persistentvolumeclaim "${name}" not found`
