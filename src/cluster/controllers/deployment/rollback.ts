import type { Deployment, ReplicaSet } from '../../../api/apps/v1.types.ts'
import { parseInt64 } from '../../../lib/integer.ts'
import { runAtOnce } from '../../../lib/steps.ts'
import type { EventType } from '../../shared/event-recorder.ts'
import { isSameTemplate, withoutHash } from './replica-sets.ts'
import { isCopied, ROLLBACK_TO, revisionOf } from './revisions.ts'

/** Revision that a deployment asks to return to: 0 is the previous one. Undefined if it asks for none. */
export function rollbackTarget({ metadata }: Deployment): number | undefined {
  const value = parseInt64(metadata.annotations?.[ROLLBACK_TO] ?? '')
  return value === undefined ? undefined : Number(value)
}

/** A rollback: the deployment to write, without the request, and the event about it. */
export interface Rollback {
  readonly deployment: Deployment
  readonly event: { readonly type: EventType; readonly reason: string; readonly message: string }
}

/**
 * Returns the deployment with the template and the annotations of a revision. If there is no such revision, only the
 * request is removed.
 */
export function rollbackOf(deployment: Deployment, sets: readonly ReplicaSet[], target: number): Rollback {
  const { [ROLLBACK_TO]: _request, ...annotations } = deployment.metadata.annotations ?? {}
  const cleared: Deployment = { ...deployment, metadata: { ...deployment.metadata, annotations } }
  const warn = (reason: string, message: string): Rollback => ({ deployment: cleared, event: { type: 'Warning', reason, message } })
  const revision = target === 0 ? previousRevision(sets) : target
  if (revision === 0) return warn('DeploymentRollbackRevisionNotFound', 'Unable to find last revision.')
  const set = sets.find(each => revisionOf(each) === revision)
  if (!set) return warn('DeploymentRollbackRevisionNotFound', 'Unable to find the revision to rollback to.')
  const name = JSON.stringify(deployment.metadata.name)
  if (runAtOnce(isSameTemplate(deployment.spec.template, set.spec.template)))
    return warn('DeploymentRollbackTemplateUnchanged', `The rollback revision contains the same template as current deployment ${name}`)
  const own = Object.entries(annotations).filter(([key]) => !isCopied(key))
  const ofSet = Object.entries(set.metadata.annotations ?? {}).filter(([key]) => isCopied(key))
  return {
    deployment: {
      ...cleared,
      metadata: { ...cleared.metadata, annotations: Object.fromEntries([...own, ...ofSet]) },
      spec: { ...cleared.spec, template: withoutHash(set.spec.template) },
    },
    event: { type: 'Normal', reason: 'DeploymentRollback', message: `Rolled back deployment ${name} to revision ${revision}` },
  }
}

/** Second largest revision. 0 if there is none. */
function previousRevision(sets: readonly ReplicaSet[]): number {
  const revisions = [...new Set(sets.flatMap(set => revisionOf(set) || []))].toSorted((a, b) => b - a)
  return revisions[1] ?? 0
}
