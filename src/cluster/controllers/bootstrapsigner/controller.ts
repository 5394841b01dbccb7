import type { ConfigMap, Secret } from '../../../api/core/v1.types.ts'
import { objectKey } from '../../../clients/api-client.ts'
import { untilAborted } from '../../../lib/on-abort.ts'
import { isStatusError } from '../../../meta/status.ts'
import { isBootstrapToken, TOKEN_NAMESPACE } from '../../shared/bootstrap-tokens.ts'
import { type ClusterPart, queueOf, untilSynced } from '../../shared/environment.ts'
import { CONFIG_MAPS, SECRETS } from '../../shared/kinds.ts'
import { signedData, signingToken } from './signatures.ts'

/** ConfigMap with a kubeconfig that anyone may read. A node that joins verifies it with its token. */
const CLUSTER_INFO = 'kube-public/cluster-info'

/** Signs the cluster's information with each bootstrap token. The key is the ConfigMap. */
export const bootstrapSigner: ClusterPart = async (env, signal) => {
  const configMaps = env.informers.of(CONFIG_MAPS)
  const secrets = env.informers.of(SECRETS)
  const queue = queueOf(env, 'bootstrap_signer_queue', signal, {
    workers: 1,
    async work(key) {
      const info = configMaps.store.get(key)
      if (!info) return
      const tokens = secrets.store
        .inNamespace(TOKEN_NAMESPACE)
        .filter(isBootstrapToken)
        .flatMap(secret => signingToken(secret, env.clock.now()) ?? [])
      const data = signedData(info.data, tokens)
      if (!data) return
      try {
        await env.client.update(CONFIG_MAPS, { ...info, data })
      } catch (error) {
        // The informer reports what has changed, and the ConfigMap is signed again.
        if (!isStatusError(error, 'Conflict', 'NotFound')) throw error
      }
    },
  })
  if (!(await untilSynced([configMaps, secrets], signal))) return
  const infoChanged = (configMap: ConfigMap): void => {
    if (objectKey(configMap) === CLUSTER_INFO) queue.add(CLUSTER_INFO)
  }
  configMaps.on({ added: infoChanged, updated: infoChanged })
  const tokenChanged = (secret: Secret): void => {
    if (isBootstrapToken(secret)) queue.add(CLUSTER_INFO)
  }
  secrets.on({ added: tokenChanged, updated: tokenChanged, deleted: tokenChanged })
  await untilAborted(signal)
}
