import { StatusError } from '../../meta/status.ts'
import { SERVER_USER } from '../../registry/internal-context.ts'
import type { AdmissionRequest } from '../../registry/types.ts'
import type { AdmissionPlugin } from '../chain.ts'
import { refuse } from '../refuse.ts'
import { isExemptFromPolicies } from './exempt.ts'
import { type Denial, PolicyCheck, type PolicyEnvironment } from './policy-check.ts'

/** How long a request waits for the policies of a server that has just begun. */
const FILL_MS = 10_000

/**
 * ValidatingAdmissionPolicy: what the policies of the cluster say of a request, where bindings put them into force.
 * https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/
 */
export function validatingAdmissionPolicy(env: PolicyEnvironment): AdmissionPlugin {
  const { index } = env
  return {
    name: 'ValidatingAdmissionPolicy',
    // What the server does itself while it starts waits for nothing.
    handles: request =>
      (index.filling.isOpen ? request.ctx.user !== SERVER_USER : index.active.length > 0) && request.nested !== true && !isExemptFromPolicies(request),
    async validate(request) {
      if (!(await index.filling.ended(FILL_MS))) throw refuse(request, 'not yet ready to handle request')
      const check = new PolicyCheck(env, request)
      for (const policy of index.active) await check.ask(policy)
      const [first] = check.denials
      if (first) throw refusalOf(request, first)
    },
  }
}

/** The first denial is told, under its own reason. */
function refusalOf(request: AdmissionRequest, { policy, binding, message, reason }: Denial): StatusError {
  const by = `ValidatingAdmissionPolicy '${policy}'${binding === undefined ? '' : ` with binding '${binding}'`}`
  const text = `${by} denied request: ${message}`
  const { status } = refuse(request, text)
  const told = reason || 'Invalid'
  return new StatusError({ ...status, reason: told, code: CODES[told] ?? 422, details: { ...status.details, causes: [{ message: text }] } })
}

const CODES: Readonly<Record<string, number>> = { Unauthorized: 401, Forbidden: 403, RequestEntityTooLarge: 413, Invalid: 422 }
