import type { Pod } from '../../api/core/v1.types.ts'
import type { JsonObject } from '../../api/meta/object.ts'
import { eachAtOnce } from '../../lib/each-at-once.ts'
import { isSince } from '../../lifecycle/release.ts'
import { undefinedIfNotFound } from '../../meta/status.ts'
import type { ClusterEnvironment } from '../shared/environment.ts'
import { PODS } from '../shared/kinds.ts'
import { disruptionTarget, isPodTerminating, podPriority, withGeneration } from '../shared/pods.ts'
import type { SeriesRecorder } from '../shared/series-recorder.ts'
import { DEFAULT_SCHEDULER } from './default-profile.ts'
import type { VictimUnit } from './groups/group-preemption.ts'
import type { TrackedGroup } from './groups/group-trees.ts'
import type { NominatedPodsByNode } from './nominated-pods.ts'
import { BY_SCHEDULER, type PreemptionCandidate } from './preemption.ts'

/** Victims of a preemption that are deleted at the same time. A group can have thousands. */
const EVICTIONS_AT_ONCE = 16

/** Parts of the scheduler that evictions use. */
export interface EvictionParts {
  readonly env: Pick<ClusterEnvironment, 'client' | 'clock' | 'features'>
  readonly recorder: SeriesRecorder
  readonly nominated: NominatedPodsByNode
  /** Takes the node of a pod that is not bound yet. Returns false if the pod must be deleted. */
  readonly takeBack: (pod: Pod) => boolean
}

/** The pod, or the group, for which others are deleted. */
interface Preemptor {
  /** The pod, or one of the pods of the group. */
  readonly pod: Pod
  readonly kind: 'pod' | 'podgroup' | 'compositepodgroup'
  readonly uid: string
  /** Name of the node in events. */
  readonly place: string
}

/**
 * Deletes the victims of a preemption, and takes back nominations that it makes void. A victim that is gone already is
 * passed over, and from 1.35 on one that is being deleted. Rejects if the API rejects another deletion.
 */
export const evictVictims = (parts: EvictionParts, pod: Pod, { node, victims }: PreemptionCandidate): Promise<void> =>
  evict(
    parts,
    { pod, kind: 'pod', uid: pod.metadata.uid ?? '', place: node.name },
    [node.name],
    victims.map(victim => victim.pod),
  )

/** Deletes the victims of a tree of groups as `evictVictims` does. @param pods pods of the tree, at least one */
export const evictForGroup = (
  parts: EvictionParts,
  { object, isComposite }: Pick<TrackedGroup, 'object' | 'isComposite'>,
  [pod]: readonly [Pod, ...Pod[]],
  victims: readonly VictimUnit[],
): Promise<void> =>
  evict(
    parts,
    { pod, kind: isComposite ? 'compositepodgroup' : 'podgroup', uid: object.metadata.uid ?? '', place: 'cluster' },
    [...new Set(victims.flatMap(({ pods }) => pods.map(({ node }) => node)))],
    victims.flatMap(({ pods }) => pods.map(({ info }) => info.pod)),
  )

async function evict(
  { env: { client, clock, features }, recorder, nominated, takeBack }: EvictionParts,
  { pod, kind, uid, place }: Preemptor,
  nodes: readonly string[],
  all: readonly Pod[],
): Promise<void> {
  const victims = isSince(features.release, '1.35') ? all.filter(victim => !isPodTerminating(victim)) : all
  if (victims.length === 0) return
  const patchStatus = async ({ metadata: { namespace = '', name = '' } }: Pod, status: JsonObject): Promise<void> => {
    await client.patch(PODS, { namespace, name, subresource: 'status' }, { status }, 'strategic')
  }
  for (const { pod: lower } of nodes.flatMap(node => nominated.lowerThan(node, podPriority(pod)))) {
    nominated.delete(lower)
    await patchStatus(lower, { nominatedNodeName: null }).catch(undefinedIfNotFound)
  }
  const condition = disruptionTarget(
    BY_SCHEDULER,
    `${pod.spec.schedulerName}: preempting to accommodate a higher priority ${kind}`,
    clock.now(),
  )
  const deleteVictim = async (victim: Pod): Promise<void> => {
    const { namespace = '', name = '' } = victim.metadata
    if (!takeBack(victim)) {
      await patchStatus(victim, { conditions: [{ ...withGeneration(condition, victim, features) }] })
      await client.delete(PODS, namespace, name, victim.metadata.uid === undefined ? {} : { uid: victim.metadata.uid })
    }
    recorder.record({
      kind: PODS,
      about: victim,
      related: pod,
      type: 'Normal',
      reason: 'Preempted',
      action: 'Preempting',
      note: `Preempted by ${kind} ${uid} on node ${place}`,
      controller: pod.spec.schedulerName || DEFAULT_SCHEDULER,
    })
  }
  await eachAtOnce(victims, EVICTIONS_AT_ONCE, victim => deleteVictim(victim).catch(undefinedIfNotFound))
}
