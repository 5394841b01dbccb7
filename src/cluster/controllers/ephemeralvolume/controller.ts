import type { PersistentVolumeClaim, Pod } from '../../../api/core/v1.types.ts'
import { objectKey } from '../../../clients/api-client.ts'
import { untilAborted } from '../../../lib/on-abort.ts'
import { isStatusError } from '../../../meta/status.ts'
import { type ClusterPart, queueOf, untilSynced } from '../../shared/environment.ts'
import { CLAIMS, PODS } from '../../shared/kinds.ts'
import { isControlledBy } from '../../shared/owner.ts'
import { podsByClaim } from '../../shared/pod-claims.ts'
import { ephemeralClaim, hasEphemeralVolume } from './claims.ts'

const WORKERS = 5

/** Creates the claims of ephemeral volumes. They are deleted with their pod, which owns them. A key is a pod. */
export const ephemeralVolumeController: ClusterPart = async (env, signal) => {
  const { client, informers } = env
  const pods = informers.of<Pod>(PODS)
  const claims = informers.of<PersistentVolumeClaim>(CLAIMS)
  const podsOf = podsByClaim(pods)

  const sync = async (key: string): Promise<void> => {
    const pod = pods.store.get(key)
    if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) return
    for (const volume of pod.spec.volumes ?? []) {
      const claim = ephemeralClaim(pod, volume)
      if (claim === undefined) continue
      const existing = claims.store.get(objectKey(claim))
      if (existing === undefined)
        await client.create(CLAIMS, claim).catch((error: unknown) => {
          // It was created before, and is not observed yet. The next pass compares its owner.
          if (!isStatusError(error, 'AlreadyExists')) throw error
        })
      else if (!isControlledBy(existing, pod)) throw new Error(`PVC ${objectKey(claim)} was not created for pod ${key} (pod is not owner)`)
    }
  }

  const queue = queueOf(env, 'ephemeral_volume', signal, { workers: WORKERS, work: sync })
  if (!(await untilSynced([pods, claims], signal))) return
  const enqueue = (pod: Pod): void => {
    if (hasEphemeralVolume(pod)) queue.add(objectKey(pod))
  }
  pods.onGradually({ added: enqueue })
  claims.on({
    deleted(claim) {
      for (const pod of podsOf(objectKey(claim))) enqueue(pod)
    },
  })
  await untilAborted(signal)
}
