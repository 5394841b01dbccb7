import type { ControllerRevision, DaemonSet } from '../../../api/apps/v1.types.ts'
import type { Pod } from '../../../api/core/v1.types.ts'
import { runIfSteps, type Steps, startInTurns } from '../../../lib/steps.ts'
import { deepEqual } from '../../../meta/equal.ts'
import { isStatusError } from '../../../meta/status.ts'
import type { ClusterEnvironment } from '../../shared/environment.ts'
import { CONTROLLER_REVISIONS, DAEMON_SETS, PODS } from '../../shared/kinds.ts'
import {
  byRevisionNumber,
  deleteRevisions,
  hasDataInSteps,
  newRevision,
  nextRevision,
  REVISION_LABEL,
  renumberRevision,
  revisionNumber,
  templatePatchInSteps,
} from '../../shared/revision-history.ts'
import { templateHashInSteps } from '../../shared/template-hash.ts'
import { withMembers } from '../../shared/with-members.ts'

/** Revisions of a daemon set. */
export interface DaemonHistory {
  /** Revision of the present template. */
  readonly current: ControllerRevision
  readonly old: readonly ControllerRevision[]
}

/** Hash of a revision, which its pods have as a label. */
export const hashOf = ({ metadata: { labels } }: ControllerRevision): string => labels?.[REVISION_LABEL] ?? ''

/**
 * Returns the history of a daemon set. If the template is new, a revision is created; if it is that of an older
 * revision, this one gets the next number. Of several revisions with the template, all but the newest are deleted.
 * @param claimed revisions of the set.
 */
export async function historyOf(
  env: ClusterEnvironment,
  set: DaemonSet,
  claimed: readonly ControllerRevision[],
  pods: readonly Pod[],
): Promise<DaemonHistory> {
  const { client, features } = env
  const data = await startInTurns(templatePatchInSteps(set.spec.template, features.release))
  const revisions: ControllerRevision[] = []
  for (const revision of claimed) {
    const isLabelled = revision.metadata.labels?.[REVISION_LABEL] !== undefined
    revisions.push(isLabelled ? revision : await client.update(CONTROLLER_REVISIONS, await startInTurns(labelled(revision))))
  }
  const same: ControllerRevision[] = []
  for (const revision of revisions) if (await startInTurns(hasDataInSteps(revision, data))) same.push(revision)
  same.sort(byRevisionNumber)
  const old = revisions.filter(revision => !same.includes(revision))
  const number = nextRevision(old)
  const latest = same.at(-1)
  if (!latest) return { current: await createCurrent(env, set, data, number), old }
  await removeDuplicates(env, latest, same.slice(0, -1), pods)
  const current = revisionNumber(latest) < number ? await renumberRevision(client, latest, number) : latest
  return { current, old }
}

/** Returns a revision with its name as the label with the hash, which it lacks. Its labels may be very many. */
export function* labelled(revision: ControllerRevision): Steps<ControllerRevision> {
  const { labels, name = '' } = revision.metadata
  return { ...revision, metadata: { ...revision.metadata, labels: yield* runIfSteps(withMembers(labels, { [REVISION_LABEL]: name })) } }
}

/**
 * Creates the revision of the present template. If another one has its name, counts a collision in the status, and
 * rejects.
 */
async function createCurrent(
  { client }: ClusterEnvironment,
  set: DaemonSet,
  data: ControllerRevision['data'],
  revision: number,
): Promise<ControllerRevision> {
  const { namespace = '', name: owner = '' } = set.metadata
  const hash = await startInTurns(templateHashInSteps(set.spec.template, set.status.collisionCount))
  const name = `${owner}-${hash}`
  const labels = await startInTurns(runIfSteps(withMembers(set.spec.template.metadata.labels, { [REVISION_LABEL]: hash })))
  try {
    return await client.create(CONTROLLER_REVISIONS, await startInTurns(newRevision(DAEMON_SETS, set, { name, labels, data, revision })))
  } catch (error) {
    if (!isStatusError(error, 'AlreadyExists')) throw error
    const present = await client.get(CONTROLLER_REVISIONS, namespace, name)
    if (await startInTurns(hasDataInSteps(present, data ?? null))) return present
    const fresh = await client.get(DAEMON_SETS, namespace, owner)
    const count = fresh.status.collisionCount
    if (!deepEqual(count, set.status.collisionCount))
      throw new Error(
        `found a stale collision count (${set.status.collisionCount ?? 0}, expected ${count ?? 0}) of DaemonSet ${JSON.stringify(owner)}`,
      )
    await client.update(DAEMON_SETS, { ...fresh, status: { ...fresh.status, collisionCount: (count ?? 0) + 1 } }, 'status')
    throw error
  }
}

/** Deletes revisions that have the template of a newer one, after their pods are given the label of that one. */
async function removeDuplicates(
  { client }: ClusterEnvironment,
  newest: ControllerRevision,
  duplicates: readonly ControllerRevision[],
  pods: readonly Pod[],
): Promise<void> {
  if (duplicates.length === 0) return
  const hash = hashOf(newest)
  for (const { metadata } of pods)
    if (metadata.labels?.[REVISION_LABEL] !== hash)
      await client.patch(
        PODS,
        { namespace: metadata.namespace ?? '', name: metadata.name ?? '' },
        { metadata: { labels: { [REVISION_LABEL]: hash } } },
      )
  await deleteRevisions(client, duplicates)
}

/** Returns the old revisions beyond the history limit that no pod has: those of the smallest numbers. */
export function surplusHistory(
  { spec: { revisionHistoryLimit } }: DaemonSet,
  old: readonly ControllerRevision[],
  pods: readonly Pod[],
): ControllerRevision[] {
  if (revisionHistoryLimit === undefined) return []
  const live = new Set(pods.map(({ metadata: { labels } }) => labels?.[REVISION_LABEL]))
  const unused = old.toSorted(byRevisionNumber).filter(revision => !live.has(hashOf(revision)))
  return unused.slice(0, Math.max(0, old.length - revisionHistoryLimit))
}
