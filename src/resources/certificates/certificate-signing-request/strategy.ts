import type { HookContext, Strategy } from '../../../catalog/definition.ts'
import { nameIsPathSegment } from '../../../meta/names.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { keepMembers } from '../../shared/strategy-parts.ts'
import { APPROVED, allConditions, DENIED, keepConditions, setConditionTimes } from './conditions.ts'
import { validateApproval, validateCertificateSigningRequest, validateStatus } from './validation.ts'

/** Who asks is who makes the request, whatever the body says. */
function setRequester({ spec }: KubeObject, { request }: HookContext): void {
  for (const member of ['username', 'uid', 'groups', 'extra']) delete spec[member]
  const user = request?.user
  if (!user) return
  if (user.name !== '') spec.username = user.name
  if (user.uid) spec.uid = user.uid
  if (user.groups.length > 0) spec.groups = [...user.groups]
  const extra = Object.entries(user.extra ?? {})
  if (extra.length > 0) spec.extra = Object.fromEntries(extra.map(([key, values]) => [key, [...values]]))
}

export const certificateSigningRequestStrategy: Strategy = {
  // Any name will do.
  validateName: nameIsPathSegment,
  revalidatesMeta: true,
  resetFields: [['spec'], ['status']],
  prepare(next, old, ctx) {
    if (old) keepMembers(next, old, 'spec', 'status')
    else {
      setRequester(next, ctx)
      next.status = {}
    }
  },
  validate: validateCertificateSigningRequest,
}

/** For the signer: the certificate, and conditions but for the decision. */
export const statusStrategy: Strategy = {
  validateName: nameIsPathSegment,
  revalidatesMeta: true,
  resetFields: [['spec'], ['status', 'conditions']],
  prepare(next, old, { now }) {
    if (!old) return
    keepMembers(next, old, 'spec')
    keepConditions(next, old, APPROVED)
    keepConditions(next, old, DENIED)
    setConditionTimes(next, old, now)
  },
  validate: validateStatus,
}

/** For the approver: conditions. */
export const approvalStrategy: Strategy = {
  validateName: nameIsPathSegment,
  revalidatesMeta: true,
  resetFields: [['spec'], ['status', 'certificate']],
  prepare(next, old, { now }) {
    if (!old) return
    setConditionTimes(next, old, now)
    const conditions = allConditions(next)
    keepMembers(next, old, 'spec')
    next.status = { ...old.status }
    if (conditions.length > 0) next.status.conditions = conditions
    else delete next.status.conditions
  },
  validate: validateApproval,
}
