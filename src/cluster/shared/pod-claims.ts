import type { Pod, Volume } from '../../api/core/v1.types.ts'
import type { Informer } from './informer.ts'

/**
 * Returns the name of the claim of a volume. Undefined if it has none. The claim of an ephemeral volume is named after
 * pod and volume.
 */
export const claimNameOf = ({ metadata }: Pick<Pod, 'metadata'>, { name, persistentVolumeClaim, ephemeral }: Volume): string | undefined =>
  persistentVolumeClaim?.claimName ?? (ephemeral === undefined ? undefined : `${metadata.name ?? ''}-${name}`)

/** Returns the names of a pod's claims. */
export function claimNamesOf(pod: Pod): string[] {
  const names: string[] = []
  for (const volume of pod.spec.volumes ?? []) {
    const name = claimNameOf(pod, volume)
    if (name !== undefined) names.push(name)
  }
  return names
}

const BY_CLAIM = 'claim'

/** Indexes pods by their claims. Returns a function that lists the pods of a claim by its key `namespace/name`. */
export function podsByClaim(pods: Informer<Pod>): (key: string) => readonly Pod[] {
  pods.addIndex(BY_CLAIM, pod => claimNamesOf(pod).map(name => `${pod.metadata.namespace ?? ''}/${name}`))
  return key => pods.store.by(BY_CLAIM, key)
}
