import { SERVER_USER } from '../../registry/internal-context.ts'
import type { AdmissionRequest } from '../../registry/types.ts'
import type { Filling } from '../filling.ts'
import { isReview } from '../matching.ts'
import { refuse } from '../refuse.ts'

const POLICIES: ReadonlySet<string> = new Set([
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
  'mutatingadmissionpolicies',
  'mutatingadmissionpolicybindings',
])

/** How long a request waits for policies to be read at start, in milliseconds. */
const FILL_MS = 10_000

/** Policies of one kind, and whether all stored ones have been read. */
interface LoadedPolicies<Policy> {
  readonly filling: Filling
  /** Policies of manifests, then stored ones. */
  readonly active: readonly Policy[]
  readonly manifests: readonly Policy[]
}

/** Whether policies may apply to the request. */
export const mayHavePolicies = (policies: LoadedPolicies<unknown>, request: AdmissionRequest): boolean =>
  request.nested !== true && !isReview(request) && (mayWait(policies, request) || policiesFor(policies, request).length > 0)

/** Policies that may apply to the request. */
export const policiesFor = <Policy>(policies: LoadedPolicies<Policy>, request: AdmissionRequest): readonly Policy[] =>
  isForManifestsAlone(request) ? policies.manifests : policies.active

/** Whether the request waits for stored policies. While the server starts, its own requests do not. */
const mayWait = ({ filling }: LoadedPolicies<unknown>, request: AdmissionRequest): boolean =>
  filling.isOpen && request.ctx.user !== SERVER_USER && !isForManifestsAlone(request)

/** Waits until all policies are read. Throws 403 if that takes too long. */
export async function awaitPolicies(policies: LoadedPolicies<unknown>, request: AdmissionRequest): Promise<void> {
  if (mayWait(policies, request) && !(await policies.filling.ended(FILL_MS))) throw refuse(request, 'not yet ready to handle request')
}

/**
 * Whether only policies of manifests apply to the request: it is for a policy, and a broken stored one could not be
 * removed otherwise.
 */
const isForManifestsAlone = ({ served: { version } }: AdmissionRequest): boolean =>
  version.group === 'admissionregistration.k8s.io' && POLICIES.has(version.names.plural)
