import type { AdmissionRequest } from '../../registry/types.ts'

const POLICIES = ['validatingadmissionpolicies', 'validatingadmissionpolicybindings', 'mutatingadmissionpolicies', 'mutatingadmissionpolicybindings']

/** Policies do not act on policies, or nobody could mend them, nor on reviews, without which a cluster breaks. */
const EXEMPT: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['admissionregistration.k8s.io', new Set(POLICIES)],
  ['authentication.k8s.io', new Set(['selfsubjectreviews', 'tokenreviews'])],
  ['authorization.k8s.io', new Set(['localsubjectaccessreviews', 'selfsubjectaccessreviews', 'selfsubjectrulesreviews', 'subjectaccessreviews'])],
])

/** Whether no policy acts on the request. */
export const isExemptFromPolicies = ({ served: { version } }: AdmissionRequest): boolean => EXEMPT.get(version.group)?.has(version.names.plural) === true
