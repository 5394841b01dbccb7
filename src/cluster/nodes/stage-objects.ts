import type { JsonObject, TypedObject } from '../../api/meta/object.ts'
import { objectKey } from '../../clients/api-client.ts'
import { SerialSteps } from '../../lib/serial-steps.ts'
import type { Steps } from '../../lib/steps.ts'
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
  const changes = new SerialSteps()
  /** Objects from which the set has its Stages, by name. */
  const decoded = new Map<string, TypedObject>()
  function* refresh(key: string): Steps<void> {
    const stage = stages.store.get(key)
    if (stage === undefined) {
      decoded.delete(key)
      changed(set.remove(key))
    } else if (!isSameSpec(stage, decoded.get(key))) {
      changed(yield* set.put(key, plain(stage)))
      decoded.set(key, stage)
    }
  }
  const queue = queueOf(env, 'kubelet_stages', signal, {
    workers: 1,
    work: async key => {
      await changes.run(refresh(key))
      const stage = stages.store.get(key)
      if (!stage) return
      const conditions = acceptedConditions(plain(stage), set.fault(key) ?? fault(set.kindOf(key) ?? ''), formatTime(env.clock.now()))
      if (conditions) await env.client.patch(STAGES, { namespace: '', name: key, subresource: 'status' }, { status: { conditions } })
    },
  })
  const enqueue = (stage: TypedObject): void => queue.add(objectKey(stage))
  stages.on({
    added: enqueue,
    updated: (stage, old) => {
      if (!isSameSpec(stage, old)) enqueue(stage)
    },
    deleted: enqueue,
  })
  await untilSynced([stages], signal)
  for (const stage of stages.store.list()) await changes.run(refresh(objectKey(stage)))
  return kind => {
    for (const { metadata } of stages.store.list()) if (set.kindOf(metadata.name ?? '') === kind) queue.add(metadata.name ?? '')
  }
}

const isSameSpec = ({ metadata }: TypedObject, other: TypedObject | undefined): boolean =>
  metadata.uid === other?.metadata.uid && metadata.generation === other?.metadata.generation

/** A Stage with its kind, which objects of a cache need not carry. */
const plain = (stage: TypedObject): JsonObject =>
  ({ ...stage, apiVersion: `${STAGES.group}/${STAGES.version}`, kind: STAGES.kind }) as unknown as JsonObject
