import type { PersistentVolumeClaim, Pod, Volume } from '../../../api/core/v1.types.ts'
import { PODS } from '../../shared/kinds.ts'
import { controllerReference } from '../../shared/owner.ts'
import { claimNameOf } from '../../shared/pod-claims.ts'

export const hasEphemeralVolume = ({ spec }: Pod): boolean => spec.volumes?.some(({ ephemeral }) => ephemeral !== undefined) ?? false

/** Returns the claim of an ephemeral volume, which the pod controls. Undefined if the volume is not ephemeral. */
export function ephemeralClaim(pod: Pod, volume: Volume): PersistentVolumeClaim | undefined {
  const template = volume.ephemeral?.volumeClaimTemplate
  const name = claimNameOf(pod, volume)
  if (template === undefined || name === undefined) return undefined
  const { labels, annotations } = template.metadata ?? {}
  return {
    kind: 'PersistentVolumeClaim',
    apiVersion: 'v1',
    metadata: {
      name,
      namespace: pod.metadata.namespace ?? '',
      ...(labels && { labels }),
      ...(annotations && { annotations }),
      ownerReferences: [controllerReference(PODS, pod)],
    },
    spec: template.spec,
    status: {},
  }
}
