import { SERVER_USER } from '../../registry/internal-context.ts'
import type { AdmissionRequest } from '../../registry/types.ts'
import type { Filling } from '../filling.ts'
import { refuse } from '../refuse.ts'

const POLICIES = ['validatingadmissionpolicies', 'validatingadmissionpolicybindings', 'mutatingadmissionpolicies', 'mutatingadmissionpolicybindings']

/** Resources that policies never apply to: policies, so that a broken one can still be removed, and reviews, without which a cluster stops working. */
const EXEMPT: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['admissionregistration.k8s.io', new Set(POLICIES)],
  ['authentication.k8s.io', new Set(['selfsubjectreviews', 'tokenreviews'])],
  ['authorization.k8s.io', new Set(['localsubjectaccessreviews', 'selfsubjectaccessreviews', 'selfsubjectrulesreviews', 'subjectaccessreviews'])],
])

/** How long a request waits for policies to be read at start, in milliseconds. */
const FILL_MS = 10_000

/** Policies of one kind, and whether all have been read. */
interface LoadedPolicies {
  readonly filling: Filling
  readonly active: readonly unknown[]
}

/** Whether policies may apply to the request. While the server starts, its own requests do not wait for policies. */
export const mayHavePolicies = ({ filling, active }: LoadedPolicies, request: AdmissionRequest): boolean =>
  (filling.isOpen ? request.ctx.user !== SERVER_USER : active.length > 0) && request.nested !== true && !isExemptFromPolicies(request)

/** Waits until all policies are read. Throws 403 if that takes too long. */
export async function awaitPolicies({ filling }: LoadedPolicies, request: AdmissionRequest): Promise<void> {
  if (filling.isOpen && !(await filling.ended(FILL_MS))) throw refuse(request, 'not yet ready to handle request')
}

/** Whether policies skip the request. */
const isExemptFromPolicies = ({ served: { version } }: AdmissionRequest): boolean => EXEMPT.get(version.group)?.has(version.names.plural) === true
