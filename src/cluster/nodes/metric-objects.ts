import type { JsonObject } from '../../api/meta/object.ts'
import { objectKey } from '../../clients/api-client.ts'
import { formatTime } from '../../meta/time.ts'
import { acceptedConditions } from '../kwok/stages/stage-condition.ts'
import { type ClusterEnvironment, queueOf } from '../shared/environment.ts'
import { METRICS } from '../shared/kinds.ts'

const FAULT = 'the endpoints of simulated kubelets have no metrics yet: ResourceUsage sets those of metrics.k8s.io'

/** Reports in the status of every Metric that it takes no effect. */
export function refuseMetrics(env: ClusterEnvironment, signal: AbortSignal): void {
  const metrics = env.informers.of(METRICS)
  const queue = queueOf(env, 'kubelet_metrics', signal, {
    workers: 1,
    work: async key => {
      const metric = metrics.store.get(key)
      const conditions = metric && acceptedConditions(metric as unknown as JsonObject, FAULT, formatTime(env.clock.now()))
      if (conditions) await env.client.patch(METRICS, { namespace: '', name: key, subresource: 'status' }, { status: { conditions } })
    },
  })
  metrics.on({ added: metric => queue.add(objectKey(metric)), updated: metric => queue.add(objectKey(metric)) })
}
