import { errorMessage } from '../../../lib/error-message.ts'
import type { EventText } from '../../shared/event-recorder.ts'

export type PodVerb = 'create' | 'update' | 'delete'

const REASONS: Readonly<Record<PodVerb, string>> = { create: 'Create', update: 'Update', delete: 'Delete' }

/** Event about a write of a pod. @param failure undefined if it succeeded. */
export function podEvent(verb: PodVerb, set: string, pod: string, failure: unknown): EventText {
  const subject = `${verb} Pod ${pod} in StatefulSet ${set}`
  return failure === undefined
    ? { type: 'Normal', reason: `Successful${REASONS[verb]}`, message: `${subject} successful` }
    : { type: 'Warning', reason: `Failed${REASONS[verb]}`, message: `${subject} failed error: ${errorMessage(failure)}` }
}

/** Event about the creation of a claim. @param failure undefined if it succeeded. */
export const claimEvent = (claim: string, set: string, pod: string, failure: unknown): EventText =>
  failure === undefined
    ? { type: 'Normal', reason: 'SuccessfulCreate', message: `create Claim ${claim} Pod ${pod} in StatefulSet ${set} success` }
    : {
        type: 'Warning',
        reason: 'FailedCreate',
        message: `create Claim ${claim} for Pod ${pod} in StatefulSet ${set} failed error: ${errorMessage(failure)}`,
      }

/** Event about a claim that another controller manages. The text is upstream's, letter for letter. */
export const conflictEvent = (claim: string): EventText => ({
  type: 'Warning',
  reason: 'ConflictingController',
  message: `PersistentVolumeClaim ${claim} has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim`,
})
