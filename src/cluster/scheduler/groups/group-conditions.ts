import type { TypedObject } from '../../../api/meta/object.ts'
import type { Condition } from '../../../api/meta/v1.types.ts'
import { objectKey, type ResourceKind } from '../../../clients/api-client.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { formatTime } from '../../../meta/time.ts'
import type { ClusterEnvironment } from '../../shared/environment.ts'
import { compositeKindOf, podGroupKindOf } from '../../shared/group-kinds.ts'
import type { GroupTrees, TrackedGroup } from './group-trees.ts'

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

/** Parts of the scheduler that the conditions of groups are written with. */
export interface GroupConditionParts {
  readonly env: Pick<ClusterEnvironment, 'client' | 'clock' | 'features' | 'logger'>
  /** Latest state of groups. */
  readonly groups: Pick<GroupTrees, 'get'>
  /** Takes the state of a group that a write has returned. */
  readonly wrote: (object: TypedObject, isComposite: boolean) => void
  /** Writes in the background, after earlier writes of the key. `write` never rejects. */
  readonly write: (key: string, write: () => Promise<void>) => void
}

/**
 * Writes the conditions of groups. Cycles for a tree of many groups may follow each other faster than its conditions
 * are written: a group has one write that waits, which takes its latest outcome.
 */
export class GroupConditions {
  readonly #parts: GroupConditionParts
  /** Outcomes whose write waits, by the key of their group. */
  readonly #waiting = new Map<string, GroupCondition>()

  constructor(parts: GroupConditionParts) {
    this.#parts = parts
  }

  /** Writes the condition of a group in the background, unless the group says so already. */
  report({ key }: Pick<TrackedGroup, 'key'>, outcome: GroupCondition): void {
    const { groups, write } = this.#parts
    const isQueued = this.#waiting.has(key)
    const group = groups.get(key)
    if (!isQueued && (group === undefined || this.#changed(group, outcome) === undefined)) return
    this.#waiting.set(key, outcome)
    if (!isQueued) write(`group ${key}`, () => this.#write(key))
  }

  #changed({ object, isComposite }: TrackedGroup, outcome: GroupCondition): Condition | undefined {
    const { clock, features } = this.#parts.env
    const since37 = isSince(features.release, '1.37') ? 'PodGroupInitiallyScheduled' : 'PodGroupScheduled'
    const type = isComposite ? 'CompositePodGroupInitiallyScheduled' : since37
    return changedCondition(object.status ?? {}, { type, ...outcome }, Number(object.metadata.generation ?? 0), formatTime(clock.now()))
  }

  async #write(key: string): Promise<void> {
    const { env, groups, wrote } = this.#parts
    const { client, features, logger } = env
    const [group, outcome] = [groups.get(key), this.#waiting.get(key)]
    this.#waiting.delete(key)
    if (group === undefined || outcome === undefined) return
    const condition = this.#changed(group, outcome)
    const kind = (group.isComposite ? compositeKindOf(features) : podGroupKindOf(features)) as ResourceKind<TypedObject> | undefined
    if (condition === undefined || kind === undefined) return
    const { namespace = '', name = '' } = group.object.metadata
    try {
      const status = { conditions: [{ ...condition }] }
      wrote(await client.patch(kind, { namespace, name, subresource: 'status' }, { status }, 'strategic'), group.isComposite)
    } catch (error) {
      logger.debug(2, 'the condition of a group of pods was not written', { group: objectKey(group.object), error: errorMessage(error) })
    }
  }
}
