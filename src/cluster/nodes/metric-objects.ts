import type { Json, TypedObject } from '../../api/meta/object.ts'
import type { Environment } from '../../cel/environment.ts'
import { objectKey } from '../../clients/api-client.ts'
import { startInTurns } from '../../lib/steps.ts'
import { formatTime } from '../../meta/time.ts'
import { KwokObjectError } from '../kwok/field-reader.ts'
import { KWOK_API_VERSION } from '../kwok/object-reader.ts'
import { decodeMetric } from '../kwok/rules/metric.ts'
import { type Measurements, metricEnvironment } from '../kwok/rules/metric-environment.ts'
import { acceptedConditions } from '../kwok/stages/stage-condition.ts'
import { type ClusterEnvironment, queueOf } from '../shared/environment.ts'
import { METRICS } from '../shared/kinds.ts'

const NOTHING: Measurements = { usage: () => 0, cumulativeUsage: () => 0, startedContainers: () => 0 }

/** Reports in the status of every Metric whether it takes effect. */
export function followMetrics(env: ClusterEnvironment, signal: AbortSignal): void {
  const metrics = env.informers.of(METRICS)
  /** Expressions are compiled here, and not evaluated. */
  let environment: Environment | undefined
  const queue = queueOf(env, 'kubelet_metrics', signal, {
    workers: 1,
    work: async key => {
      const stored = metrics.store.get(key)
      if (stored === undefined) return
      const metric = withKind(stored)
      environment ??= metricEnvironment({ now: () => 0, random: () => 0 }, () => NOTHING)
      const conditions = acceptedConditions(metric, await metricFault(metric, environment), formatTime(env.clock.now()))
      if (conditions) await env.client.patch(METRICS, { namespace: '', name: key, subresource: 'status' }, { status: { conditions } })
    },
  })
  metrics.on({ added: metric => queue.add(objectKey(metric)), updated: metric => queue.add(objectKey(metric)) })
}

/** A Metric with its kind, which objects of a cache need not carry. */
const withKind = (metric: TypedObject): { readonly [name: string]: Json } =>
  ({ ...metric, apiVersion: KWOK_API_VERSION, kind: METRICS.kind }) as unknown as { readonly [name: string]: Json }

async function metricFault(metric: Json, environment: Environment): Promise<string | undefined> {
  try {
    await startInTurns(decodeMetric(metric, environment))
    return undefined
  } catch (error) {
    if (error instanceof KwokObjectError) return error.message
    throw error
  }
}
