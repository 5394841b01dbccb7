import type {
  MutatingAdmissionPolicySpec,
  ValidatingAdmissionPolicyBinding,
  ValidatingAdmissionPolicySpec,
} from '../../api/admissionregistration/v1.types.ts'
import type { TypedObject } from '../../api/meta/object.ts'

/** Spec of a policy of either kind. */
export type PolicySpec = MutatingAdmissionPolicySpec | ValidatingAdmissionPolicySpec

/** A policy of either kind, without its status. */
export type AdmissionPolicy<Spec extends PolicySpec> = TypedObject & { readonly spec: Spec }

/** A binding of either kind. That of a mutating policy has no `validationActions`. */
export type PolicyBinding = ValidatingAdmissionPolicyBinding
