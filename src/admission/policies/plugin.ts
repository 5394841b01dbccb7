import { StatusError } from '../../meta/status.ts'
import type { AdmissionRequest } from '../../registry/types.ts'
import type { AdmissionPlugin } from '../chain.ts'
import { refuse } from '../refuse.ts'
import { awaitPolicies, mayHavePolicies, policiesFor } from './following.ts'
import { PolicyCheck, type PolicyDenial, type ValidatingEnvironment } from './policy-check.ts'

/**
 * ValidatingAdmissionPolicy: evaluates the policies that bindings put into force.
 * https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/
 */
export function validatingAdmissionPolicy(env: ValidatingEnvironment): AdmissionPlugin {
  const { index } = env
  return {
    name: 'ValidatingAdmissionPolicy',
    handles: request => mayHavePolicies(index, request),
    async validate(request) {
      await awaitPolicies(index, request)
      const check = new PolicyCheck(env, request)
      for (const policy of policiesFor(index, request)) {
        const asking = check.ask(policy)
        if (asking) await asking
      }
      check.publishFailures()
      const [first] = check.denials
      if (first) throw validationRefusal(request, first)
    },
  }
}

/** Builds the error of the request from its first denial, with that denial's reason. */
function validationRefusal(request: AdmissionRequest, { policy, binding, message, reason }: PolicyDenial): StatusError {
  const by = `ValidatingAdmissionPolicy '${policy}'${binding === undefined ? '' : ` with binding '${binding}'`}`
  const text = `${by} denied request: ${message}`
  const { status } = refuse(request, text)
  const shownReason = reason || 'Invalid'
  return new StatusError({
    ...status,
    reason: shownReason,
    code: CODES[shownReason] ?? 422,
    details: { ...status.details, causes: [{ message: text }] },
  })
}

const CODES: Readonly<Record<string, number>> = { Unauthorized: 401, Forbidden: 403, RequestEntityTooLarge: 413, Invalid: 422 }
