import type { TypedObject } from '../../../api/meta/object.ts'
import type { Condition } from '../../../api/meta/v1.types.ts'
import { objectKey, type ResourceKind } from '../../../clients/api-client.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { formatTime } from '../../../meta/time.ts'
import type { ClusterEnvironment } from '../../shared/environment.ts'
import { compositeKindOf, podGroupKindOf } from '../../shared/group-kinds.ts'
import type { TrackedGroup } from './group-trees.ts'

/** Outcome of a cycle for a group. */
export type GroupCondition = Pick<Condition, 'status' | 'reason' | 'message'>

export const SCHEDULED: GroupCondition = { status: 'True', reason: 'Scheduled', message: '' }

/**
 * Returns the condition of a group after a cycle. Undefined if it stays as it is: a group that was scheduled once
 * remains so. Source: updatePodGroupCondition of pkg/scheduler/schedule_one_podgroup.go.
 *
 * @param now time of the API, as conditions have it
 */
export function changedCondition(
  { conditions = [] }: { readonly conditions?: readonly Condition[] },
  outcome: Pick<Condition, 'type' | 'status' | 'reason' | 'message'>,
  generation: number,
  now: string,
): Condition | undefined {
  const old = conditions.find(({ type }) => type === outcome.type)
  if (old?.status === 'True' && outcome.status !== 'True') return undefined
  if (
    old?.status === outcome.status &&
    old.reason === outcome.reason &&
    (old.message ?? '') === outcome.message &&
    Number(old.observedGeneration ?? 0) === generation
  )
    return undefined
  const lastTransitionTime = old?.status === outcome.status ? old.lastTransitionTime : now
  return { ...outcome, ...(generation > 0 && { observedGeneration: generation }), lastTransitionTime }
}

/** Returns the write of a group's condition. Undefined if the group says so already. */
export function groupConditionWrite(
  { client, clock, features, logger }: Pick<ClusterEnvironment, 'client' | 'clock' | 'features' | 'logger'>,
  { object, isComposite }: TrackedGroup,
  outcome: GroupCondition,
): (() => Promise<void>) | undefined {
  const kind = (isComposite ? compositeKindOf(features) : podGroupKindOf(features)) as ResourceKind<TypedObject> | undefined
  if (kind === undefined) return undefined
  const { namespace = '', name = '', generation = 0 } = object.metadata
  const type = isComposite
    ? 'CompositePodGroupInitiallyScheduled'
    : isSince(features.release, '1.37')
      ? 'PodGroupInitiallyScheduled'
      : 'PodGroupScheduled'
  const condition = changedCondition(object.status ?? {}, { type, ...outcome }, Number(generation), formatTime(clock.now()))
  if (condition === undefined) return undefined
  return async () => {
    try {
      await client.patch(kind, { namespace, name, subresource: 'status' }, { status: { conditions: [{ ...condition }] } }, 'strategic')
    } catch (error) {
      logger.debug(2, 'the condition of a group of pods was not written', { group: objectKey(object), error: errorMessage(error) })
    }
  }
}
