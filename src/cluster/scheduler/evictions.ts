import type { Pod } from '../../api/core/v1.types.ts'
import type { JsonObject } from '../../api/meta/object.ts'
import { undefinedIfNotFound } from '../../meta/status.ts'
import type { ClusterEnvironment } from '../shared/environment.ts'
import { PODS } from '../shared/kinds.ts'
import { disruptionTarget, podPriority } from '../shared/pods.ts'
import type { SeriesRecorder } from '../shared/series-recorder.ts'
import { DEFAULT_SCHEDULER } from './default-profile.ts'
import type { NominatedPodsByNode } from './nominated-pods.ts'
import { BY_SCHEDULER, type PreemptionCandidate } from './preemption.ts'

/** Parts of the scheduler that evictions use. */
export interface EvictionParts {
  readonly env: Pick<ClusterEnvironment, 'client' | 'clock'>
  readonly recorder: SeriesRecorder
  readonly nominated: NominatedPodsByNode
}

/**
 * Deletes the victims of a preemption, and takes back nominations that it makes void. A victim that is gone already is
 * passed over. Rejects if the API rejects another deletion.
 */
export async function evictVictims(
  { env, recorder, nominated }: EvictionParts,
  pod: Pod,
  { node, victims }: PreemptionCandidate,
): Promise<void> {
  const { client, clock } = env
  const patchStatus = async ({ metadata: { namespace = '', name = '' } }: Pod, status: JsonObject): Promise<void> => {
    await client.patch(PODS, { namespace, name, subresource: 'status' }, { status }, 'strategic')
  }
  for (const { pod: lower } of nominated.lowerThan(node.name, podPriority(pod))) {
    nominated.delete(lower)
    await patchStatus(lower, { nominatedNodeName: null }).catch(undefinedIfNotFound)
  }
  const condition = disruptionTarget(
    BY_SCHEDULER,
    `${pod.spec.schedulerName}: preempting to accommodate a higher priority pod`,
    clock.now(),
  )
  const evict = async (victim: Pod): Promise<void> => {
    const { namespace = '', name = '', uid } = victim.metadata
    await patchStatus(victim, { conditions: [{ ...condition }] })
    await client.delete(PODS, namespace, name, uid === undefined ? {} : { uid })
    recorder.record({
      kind: PODS,
      about: victim,
      related: pod,
      type: 'Normal',
      reason: 'Preempted',
      action: 'Preempting',
      note: `Preempted by pod ${pod.metadata.uid ?? ''} on node ${node.name}`,
      controller: pod.spec.schedulerName || DEFAULT_SCHEDULER,
    })
  }
  await Promise.all(victims.map(({ pod: victim }) => evict(victim).catch(undefinedIfNotFound)))
}
