import type { PodCertificateRequest } from '../../../api/certificates/v1.types.ts'
import { objectKey, type ResourceKind } from '../../../clients/api-client.ts'
import { untilAborted } from '../../../lib/on-abort.ts'
import { undefinedIfNotFound } from '../../../meta/status.ts'
import { timeMillis } from '../../../meta/time.ts'
import { type ClusterEnvironment, type ClusterPart, queueOf, untilSynced } from '../../shared/environment.ts'
import { firstServed } from '../../shared/first-served.ts'
import { Informer } from '../../shared/informer.ts'
import { POD_CERTIFICATE_REQUESTS } from '../../shared/kinds.ts'

/** Age at which requests are deleted, in milliseconds. Kubelets take far less time to use one. */
const LIFETIME_MS = 15 * 60_000

/** Deletes old PodCertificateRequests. A key is a request. Upstream looks for them every five minutes. */
export const podCertificateCleaner: ClusterPart = async (env, signal) => {
  if (!env.features.enabled('PodCertificateRequest')) return
  const kind = await firstServed(env, POD_CERTIFICATE_REQUESTS, signal)
  if (kind) await clean(env, kind, signal)
}

async function clean(env: ClusterEnvironment, kind: ResourceKind<PodCertificateRequest>, signal: AbortSignal): Promise<void> {
  const requests = new Informer(env.client, kind, { clock: env.meters.pauses, logger: env.logger })
  const queue = queueOf(env, 'podcertificaterequest_cleaner', signal, {
    workers: 1,
    async work(key) {
      const request = requests.store.get(key)
      if (!request) return
      const { namespace = '', name = '', uid = '', creationTimestamp } = request.metadata
      const left = (timeMillis(creationTimestamp) ?? 0) + LIFETIME_MS - env.clock.now()
      if (left > 0) return queue.addAfter(key, left)
      await env.client.delete(kind, namespace, name, { uid }).catch(undefinedIfNotFound)
    },
  })
  const running = requests.run(signal)
  if (await untilSynced([requests], signal)) {
    requests.on({ added: request => queue.add(objectKey(request)) })
    await untilAborted(signal)
  }
  await running
}
