import type { AdmissionRequest } from '../../registry/types.ts'

const POLICIES = ['validatingadmissionpolicies', 'validatingadmissionpolicybindings', 'mutatingadmissionpolicies', 'mutatingadmissionpolicybindings']

/** Policies do not act on policies, or nobody could mend them, nor on reviews, without which a cluster breaks. */
const EXEMPT: Readonly<Record<string, ReadonlySet<string>>> = {
  'admissionregistration.k8s.io': new Set(POLICIES),
  'authentication.k8s.io': new Set(['selfsubjectreviews', 'tokenreviews']),
  'authorization.k8s.io': new Set(['localsubjectaccessreviews', 'selfsubjectaccessreviews', 'selfsubjectrulesreviews', 'subjectaccessreviews']),
}

export const isExemptFromPolicies = ({ served: { version } }: AdmissionRequest): boolean =>
  Object.hasOwn(EXEMPT, version.group) && EXEMPT[version.group]!.has(version.names.plural)
