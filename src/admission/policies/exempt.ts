import type { AdmissionRequest } from '../../registry/types.ts'

const POLICIES = ['validatingadmissionpolicies', 'validatingadmissionpolicybindings', 'mutatingadmissionpolicies', 'mutatingadmissionpolicybindings']

/** Resources that policies never apply to: policies, so that a broken one can still be removed, and reviews, without which a cluster stops working. */
const EXEMPT: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['admissionregistration.k8s.io', new Set(POLICIES)],
  ['authentication.k8s.io', new Set(['selfsubjectreviews', 'tokenreviews'])],
  ['authorization.k8s.io', new Set(['localsubjectaccessreviews', 'selfsubjectaccessreviews', 'selfsubjectrulesreviews', 'subjectaccessreviews'])],
])

/** Whether policies skip the request. */
export const isExemptFromPolicies = ({ served: { version } }: AdmissionRequest): boolean => EXEMPT.get(version.group)?.has(version.names.plural) === true
