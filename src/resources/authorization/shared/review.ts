import type { Names, ResourceDefinition, Version, VirtualCall } from '../../../catalog/definition.ts'
import type { Authorizer } from '../../../meta/authorizer.ts'
import type { User } from '../../../meta/context.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { invalidError } from '../../../meta/status.ts'
import { types } from '../../types.ts'
import { requestOf, selectorComplaints } from './attributes.ts'

const GROUP = 'authorization.k8s.io'
export const API_VERSION = `${GROUP}/v1`

/** A kind that is a question: it is created, answered, and kept nowhere. */
export function reviewResource(
  kind: string,
  names: Names,
  scope: ResourceDefinition['scope'],
  answer: (call: VirtualCall, review: KubeObject) => Promise<KubeObject>,
): ResourceDefinition {
  const v1: Version = { group: GROUP, name: 'v1', kind, names, verbs: ['create'], schema: types.type(`authorization.${kind}`) }
  const virtual = { call: async (call: VirtualCall) => ({ code: 201, object: await answer(call, call.body as KubeObject) }) }
  return { scope, versions: [v1], home: v1, virtual }
}

/** Messages name the group of the kind, and not the kind. */
export function refuseInvalid(errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalidError({ group: GROUP, kind: '' }, '', errors)
}

/** The review with the authorizer's answer for the user. */
export async function answerAccess(authorizer: Authorizer, review: KubeObject, user: User, signal: AbortSignal): Promise<KubeObject> {
  const { decision, reason } = await authorizer.authorize(user, requestOf(review.spec), signal)
  const complaints = review.spec.resourceAttributes ? selectorComplaints(review.spec.resourceAttributes) : []
  const status = {
    allowed: decision === 'allow',
    ...(decision === 'deny' && { denied: true }),
    ...(reason !== '' && { reason }),
    ...(complaints.length > 0 && { evaluationError: complaints.join('; ') }),
  }
  return { ...review, status }
}
