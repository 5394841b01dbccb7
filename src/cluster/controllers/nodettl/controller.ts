import type { Node } from '../../../api/core/v1.types.ts'
import { untilAborted } from '../../../lib/on-abort.ts'
import { undefinedIfNotFound } from '../../../meta/status.ts'
import { type ClusterPart, queueOf, untilSynced } from '../../shared/environment.ts'
import { NODES } from '../../shared/kinds.ts'
import { ClusterSize } from './cluster-size.ts'

const ANNOTATION = 'node.alpha.kubernetes.io/ttl'
const WORKERS = 5

/** Annotates nodes with the time for which their kubelets may cache Secrets and ConfigMaps. A key is a node. */
export const nodeTtlController: ClusterPart = async (env, signal) => {
  const nodes = env.informers.of(NODES)
  const size = new ClusterSize()
  const queue = queueOf(env, 'ttlcontroller', signal, {
    workers: WORKERS,
    async work(name) {
      const seconds = String(size.seconds)
      const node = nodes.store.get(name)
      if (!node || node.metadata.annotations?.[ANNOTATION] === seconds) return
      await env.client
        .patch(NODES, { namespace: '', name }, { metadata: { annotations: { [ANNOTATION]: seconds } } }, 'strategic')
        .catch(undefinedIfNotFound)
    },
  })
  if (!(await untilSynced([nodes], signal))) return
  const enqueue = ({ metadata: { name = '' } }: Node): void => queue.add(name)
  nodes.on({
    added(node) {
      size.added()
      enqueue(node)
    },
    // A node gets another time with its next change, such as a heartbeat.
    updated: enqueue,
    deleted: () => size.deleted(),
  })
  await untilAborted(signal)
}
