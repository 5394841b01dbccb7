import type { JsonObject, TypedObject } from '../../api/meta/object.ts'
import { objectKey } from '../../clients/api-client.ts'
import { formatTime } from '../../meta/time.ts'
import { acceptedConditions } from '../kwok/stages/stage-condition.ts'
import type { StageSet } from '../kwok/stages/stage-set.ts'
import { type ClusterEnvironment, queueOf, untilSynced } from '../shared/environment.ts'
import { STAGES } from '../shared/kinds.ts'

export interface StageFollower {
  /** Called with the kinds whose stages have changed. */
  changed(kinds: ReadonlySet<string>): void
  /** Returns the reason why the stages of a kind have no effect. */
  fault(kind: string): string | undefined
}

/**
 * Follows the Stages of users: keeps the set in sync, and reports in the status of each whether it takes effect.
 * Resolves when the set has the present ones, with a function that reports those of a kind again.
 */
export async function followStages(
  env: ClusterEnvironment,
  set: StageSet,
  signal: AbortSignal,
  { changed, fault }: StageFollower,
): Promise<(kind: string) => void> {
  const stages = env.informers.of(STAGES)
  const statuses = queueOf(env, 'kubelet_stages', signal, {
    workers: 1,
    work: async key => {
      const stage = stages.store.get(key)
      if (!stage) return
      const conditions = acceptedConditions(plain(stage), set.fault(key) ?? fault(set.kindOf(key) ?? ''), formatTime(env.clock.now()))
      if (conditions) await env.client.patch(STAGES, { namespace: '', name: key, subresource: 'status' }, { status: { conditions } })
    },
  })
  const put = (stage: TypedObject): void => {
    changed(set.put(objectKey(stage), plain(stage)))
    statuses.add(objectKey(stage))
  }
  stages.on({
    added: put,
    updated: (stage, old) => {
      if (stage.metadata.generation !== old.metadata.generation) put(stage)
    },
    deleted: stage => changed(set.remove(objectKey(stage))),
  })
  await untilSynced([stages], signal)
  return kind => {
    for (const { metadata } of stages.store.list()) if (set.kindOf(metadata.name ?? '') === kind) statuses.add(metadata.name ?? '')
  }
}

/** A Stage with its kind, which objects of a cache need not carry. */
const plain = (stage: TypedObject): JsonObject =>
  ({ ...stage, apiVersion: `${STAGES.group}/${STAGES.version}`, kind: STAGES.kind }) as unknown as JsonObject
