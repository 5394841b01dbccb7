import type { Secret } from '../../../api/core/v1.types.ts'
import { objectKey } from '../../../clients/api-client.ts'
import { untilAborted } from '../../../lib/on-abort.ts'
import { isStatusError } from '../../../meta/status.ts'
import { isBootstrapToken, tokenEnd } from '../../shared/bootstrap-tokens.ts'
import { type ClusterPart, queueOf, untilSynced } from '../../shared/environment.ts'
import { SECRETS } from '../../shared/kinds.ts'

/** Deletes bootstrap tokens that have expired. A key is a Secret. */
export const tokenCleaner: ClusterPart = async (env, signal) => {
  const secrets = env.informers.of(SECRETS)
  const queue = queueOf(env, 'token_cleaner', signal, {
    workers: 1,
    async work(key) {
      const secret = secrets.store.get(key)
      const end = secret && tokenEnd(secret)
      if (!secret || end === undefined) return
      const left = end - env.clock.now()
      if (left > 0) return queue.addAfter(key, left)
      const { namespace = '', name = '', uid = '' } = secret.metadata
      try {
        await env.client.delete(SECRETS, namespace, name, { uid })
      } catch (error) {
        if (!isStatusError(error, 'NotFound', 'Conflict')) throw error
      }
    },
  })
  if (!(await untilSynced([secrets], signal))) return
  const enqueue = (secret: Secret): void => {
    if (isBootstrapToken(secret)) queue.add(objectKey(secret))
  }
  secrets.on({ added: enqueue, updated: enqueue })
  await untilAborted(signal)
}
