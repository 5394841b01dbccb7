import type { ControllerRevision, StatefulSet } from '../../../api/apps/v1.types.ts'
import type { Pod } from '../../../api/core/v1.types.ts'
import { type Steps, startInTurns } from '../../../lib/steps.ts'
import type { ClusterEnvironment } from '../../shared/environment.ts'
import { STATEFUL_SETS } from '../../shared/kinds.ts'
import {
  byRevisionNumber,
  createRevision,
  hasDataInSteps,
  nextRevision,
  renumberRevision,
  templatePatchInSteps,
} from '../../shared/revision-history.ts'
import { revisionOf } from './pod.ts'

/** Revisions of a set. */
export interface RevisionsOfSet {
  readonly current: ControllerRevision
  /** Revision of the present template. */
  readonly update: ControllerRevision
  readonly collisionCount: number
}

/**
 * Returns the revisions of a set. If the template is that of an older revision, this one gets the next number; if it is
 * new, a revision is created.
 * @param present revisions of the set, ordered by number.
 */
export async function revisionsFor(
  { client, features }: ClusterEnvironment,
  set: StatefulSet,
  present: readonly ControllerRevision[],
): Promise<RevisionsOfSet> {
  const data = await startInTurns(templatePatchInSteps(set.spec.template, features.release))
  const latest = present.at(-1)
  const equal = await startInTurns(latestWith(present, data))
  const revision = nextRevision(present)
  const labels = set.spec.template.metadata.labels ?? {}
  const before = set.status.collisionCount ?? 0
  const { revision: update, collisionCount } =
    latest && equal === latest
      ? { revision: latest, collisionCount: before }
      : equal
        ? { revision: await renumberRevision(client, equal, revision), collisionCount: before }
        : await createRevision(client, STATEFUL_SETS, set, { labels, data, revision, collisionCount: before })
  const current = present.find(({ metadata }) => metadata.name === set.status.currentRevision) ?? update
  return { current, update, collisionCount }
}

function* latestWith(present: readonly ControllerRevision[], data: ControllerRevision['data']): Steps<ControllerRevision | undefined> {
  for (const revision of present.toReversed()) if (yield* hasDataInSteps(revision, data ?? null)) return revision
  return undefined
}

/**
 * Returns the revisions beyond the history limit that no pod has: those of the smallest numbers. @param present
 * revisions of the set, ordered by number.
 */
export function surplusRevisions(
  { spec: { revisionHistoryLimit } }: StatefulSet,
  present: readonly ControllerRevision[],
  pods: readonly Pod[],
  live: readonly string[],
): ControllerRevision[] {
  if (revisionHistoryLimit === undefined || revisionHistoryLimit < 0) return []
  const used = new Set([...live, ...pods.map(revisionOf)])
  const old = present.filter(({ metadata: { name = '' } }) => !used.has(name)).toSorted(byRevisionNumber)
  return old.slice(0, Math.max(0, old.length - revisionHistoryLimit))
}
