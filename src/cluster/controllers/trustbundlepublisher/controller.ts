import type { ClusterTrustBundle } from '../../../api/certificates/v1.types.ts'
import { objectKey, type ResourceKind } from '../../../clients/api-client.ts'
import { untilAborted } from '../../../lib/on-abort.ts'
import { undefinedIfNotFound } from '../../../meta/status.ts'
import { type ClusterEnvironment, type ClusterPart, queueOf, untilSynced } from '../../shared/environment.ts'
import { firstServed } from '../../shared/first-served.ts'
import { Informer } from '../../shared/informer.ts'
import { TRUST_BUNDLES } from '../../shared/kinds.ts'
import { SERVING_SIGNER, servingBundle } from './bundle.ts'

const KEY = 'bundle'

/**
 * Publishes the certificates by which clients verify the API server in a ClusterTrustBundle, and removes outdated ones.
 */
export const trustBundlePublisher: ClusterPart = async (env, signal) => {
  if (!env.features.enabled('ClusterTrustBundle')) return
  const kind = await firstServed(env, TRUST_BUNDLES, signal)
  if (kind) await publish(env, kind, signal)
}

async function publish(env: ClusterEnvironment, kind: ResourceKind<ClusterTrustBundle>, signal: AbortSignal): Promise<void> {
  const { client, logger } = env
  const bundles = new Informer(client, kind, { fieldSelector: `spec.signerName=${SERVING_SIGNER}`, clock: env.meters.pauses, logger })
  const queue = queueOf(env, 'ca_cert_publisher_cluster_trust_bundles', signal, {
    workers: 1,
    async work() {
      const wanted = servingBundle(kind, await env.servingCa())
      const present = bundles.store.get(objectKey(wanted))
      if (!present) await client.create(kind, wanted)
      else if (present.spec.trustBundle !== wanted.spec.trustBundle) await client.update(kind, { ...present, spec: wanted.spec })
      for (const { metadata } of bundles.store.list()) if (metadata.name !== wanted.metadata.name) await remove(metadata.name ?? '')
    },
  })
  const remove = async (name: string): Promise<void> => {
    await client.delete(kind, '', name).catch(undefinedIfNotFound)
  }
  const running = bundles.run(signal)
  if (await untilSynced([bundles], signal)) {
    const enqueue = (): void => queue.add(KEY)
    bundles.on({ added: enqueue, updated: enqueue, deleted: enqueue })
    enqueue()
    await untilAborted(signal)
  }
  await running
}
