import type { TypedObject } from '../../api/meta/object.ts'
import type { LabelSelector } from '../../api/meta/v1.types.ts'
import type { MatchRule } from '../matching.ts'

/**
 * Policies and bindings of admissionregistration.k8s.io as this layer reads them, decoded and defaulted. The kinds are declared in a higher layer; their types
 * are assignable to these.
 */
export type AdmissionPolicy<Spec extends PolicySpec> = TypedObject & { readonly spec: Spec }
export type PolicyBinding = TypedObject & { readonly spec: PolicyBindingSpec }

/** Fields shared by policies of both kinds. Other fields are only validated when the policy is written. */
export interface PolicySpec {
  readonly paramKind?: ParamKind
  readonly matchConstraints?: MatchConstraints
  readonly failurePolicy?: string
  readonly matchConditions?: readonly NamedExpression[]
  readonly variables?: readonly NamedExpression[] | null
}

/** Fields of a ValidatingAdmissionPolicy that are evaluated. */
export interface ValidatingSpec extends PolicySpec {
  readonly validations?: readonly ValidationSpec[] | null
  readonly auditAnnotations?: readonly { readonly key: string; readonly valueExpression: string }[]
}

/** Fields of a MutatingAdmissionPolicy that are evaluated. */
export interface MutatingSpec extends PolicySpec {
  readonly mutations?: readonly MutationSpec[] | null
  readonly reinvocationPolicy?: string
}

/** Fields of a binding that are evaluated. */
export interface PolicyBindingSpec {
  readonly policyName?: string
  readonly paramRef?: ParamRef
  readonly matchResources?: MatchConstraints
  readonly validationActions?: readonly string[]
}

/** Kind of a policy's param objects. */
export interface ParamKind {
  readonly apiVersion?: string
  readonly kind?: string
}

/** Reference to the param objects of a binding: one by name, or all that the selector matches. */
export interface ParamRef {
  readonly name?: string
  readonly namespace?: string
  readonly selector?: LabelSelector
  readonly parameterNotFoundAction?: string
}

/** MatchResources of admissionregistration.k8s.io. */
export interface MatchConstraints {
  readonly namespaceSelector?: LabelSelector
  readonly objectSelector?: LabelSelector
  readonly resourceRules?: readonly MatchRule[]
  readonly excludeResourceRules?: readonly MatchRule[]
  readonly matchPolicy?: string
}

/** Entry of `spec.validations`. */
export interface ValidationSpec {
  readonly expression: string
  readonly message?: string
  readonly reason?: string
  readonly messageExpression?: string
}

/** Entry of `spec.mutations`. The member that `patchType` names is set. */
export interface MutationSpec {
  readonly patchType: string
  readonly applyConfiguration?: { readonly expression?: string }
  readonly jsonPatch?: { readonly expression?: string }
}

interface NamedExpression {
  readonly name: string
  readonly expression: string
}
