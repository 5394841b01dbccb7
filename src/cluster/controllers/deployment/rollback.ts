import type { Deployment, ReplicaSet } from '../../../api/apps/v1.types.ts'
import { parseInt64 } from '../../../lib/integer.ts'
import { isStepDone, runIfSteps, type Steps } from '../../../lib/steps.ts'
import { memberNames } from '../../../lib/wide-objects.ts'
import { setMember } from '../../../meta/equal.ts'
import type { EventType } from '../../shared/event-recorder.ts'
import { withMembers } from '../../shared/with-members.ts'
import { copyWithoutHash, isSameTemplate } from './replica-sets.ts'
import { type AnnotationMap, isCopied, ROLLBACK_TO, revisionOf } from './revisions.ts'

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
 * Returns the deployment with the template and the annotations of a revision, in steps. If there is no such revision,
 * only the request is removed.
 */
export function* rollbackOf(deployment: Deployment, sets: readonly ReplicaSet[], target: number): Steps<Rollback> {
  const annotations = yield* runIfSteps(withMembers(deployment.metadata.annotations))
  delete annotations[ROLLBACK_TO]
  const cleared: Deployment = { ...deployment, metadata: { ...deployment.metadata, annotations } }
  const warn = (reason: string, message: string): Rollback => ({ deployment: cleared, event: { type: 'Warning', reason, message } })
  const revision = target === 0 ? previousRevision(sets) : target
  if (revision === 0) return warn('DeploymentRollbackRevisionNotFound', 'Unable to find last revision.')
  const set = sets.find(each => revisionOf(each) === revision)
  if (!set) return warn('DeploymentRollbackRevisionNotFound', 'Unable to find the revision to rollback to.')
  const name = JSON.stringify(deployment.metadata.name)
  if (yield* isSameTemplate(deployment.spec.template, set.spec.template))
    return warn('DeploymentRollbackTemplateUnchanged', `The rollback revision contains the same template as current deployment ${name}`)
  return {
    deployment: {
      ...cleared,
      metadata: { ...cleared.metadata, annotations: yield* restoredAnnotations(annotations, set.metadata.annotations ?? {}) },
      spec: { ...cleared.spec, template: yield* copyWithoutHash(set.spec.template) },
    },
    event: { type: 'Normal', reason: 'DeploymentRollback', message: `Rolled back deployment ${name} to revision ${revision}` },
  }
}

/** Returns annotations of the deployment's own, and those that the set has from an earlier state of it. */
function* restoredAnnotations(own: AnnotationMap, ofSet: AnnotationMap): Steps<Record<string, string>> {
  const restored: Record<string, string> = {}
  for (const annotations of [own, ofSet])
    for (const name of yield* memberNames(annotations)) {
      if (isStepDone()) yield
      if (isCopied(name) === (annotations === ofSet)) setMember(restored, name, annotations[name])
    }
  return restored
}

/** Second largest revision, which equals the largest one if two sets have it. 0 if there is none. */
function previousRevision(sets: readonly ReplicaSet[]): number {
  const revisions = sets.flatMap(set => revisionOf(set) || []).toSorted((a, b) => b - a)
  return revisions[1] ?? 0
}
