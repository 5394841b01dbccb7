import type { PersistentVolumeClaim } from '../../../api/core/v1.types.ts'
import { objectKey } from '../../../clients/api-client.ts'
import { untilAborted } from '../../../lib/on-abort.ts'
import { compareQuantity } from '../../../meta/quantity.ts'
import { type ClusterPart, queueOf, recorderOf, untilSynced } from '../../shared/environment.ts'
import { CLAIMS, VOLUMES } from '../../shared/kinds.ts'
import { requestedStorage } from '../../shared/volumes.ts'
import { expansionOf, isToGrow, STORAGE_RESIZER } from './expansion.ts'

const WORKERS = 10

/** Assigns claims that request more than they have to the resizer of their driver. A key is a claim. */
export const persistentVolumeExpander: ClusterPart = async (env, signal) => {
  const { client, informers } = env
  const claims = informers.of<PersistentVolumeClaim>(CLAIMS)
  const recorder = recorderOf(env, 'volume_expand', signal)

  const sync = async (key: string): Promise<void> => {
    const claim = claims.store.get(key)
    if (claim === undefined || !isToGrow(claim)) return
    const { namespace = '', name = '', uid = '', annotations } = claim.metadata
    const volume = await client.get(VOLUMES, '', claim.spec.volumeName ?? '')
    if (volume.spec.claimRef?.uid !== uid) throw new Error(`persistent Volume is not bound to PVC being updated : ${key}`)
    const { message, resizer } = expansionOf(volume)
    recorder.record(CLAIMS, claim, 'Normal', 'ExternalExpanding', message)
    if (resizer !== undefined && annotations?.[STORAGE_RESIZER] !== resizer)
      await client.patch(CLAIMS, { namespace, name }, { metadata: { uid, annotations: { [STORAGE_RESIZER]: resizer } } })
  }

  const queue = queueOf(env, 'volume_expand', signal, { workers: WORKERS, work: sync })
  if (!(await untilSynced([claims], signal))) return
  const enqueue = (claim: PersistentVolumeClaim): void => {
    if (isToGrow(claim)) queue.add(objectKey(claim))
  }
  claims.on({
    added: enqueue,
    updated(claim, old) {
      if (compareQuantity(requestedStorage(claim), requestedStorage(old)) > 0) enqueue(claim)
    },
  })
  await untilAborted(signal)
}
