import type { LabelSelector } from '../../meta/label-selector.ts'
import type { TypedObject } from '../../meta/object.ts'
import type { Rule } from '../matching.ts'

/**
 * What is read of ValidatingAdmissionPolicy and ValidatingAdmissionPolicyBinding (admissionregistration.k8s.io/v1), decoded and defaulted. Kinds are declared in a layer above this one, and
 * theirs are assignable to these.
 */
export type Policy = TypedObject & { readonly spec: PolicySpec }
export type PolicyBinding = TypedObject & { readonly spec: PolicyBindingSpec }

/** What is read of a policy; the rest is validated when it is stored. */
export interface PolicySpec {
  readonly paramKind?: ParamKind
  readonly matchConstraints?: MatchConstraints
  readonly validations?: readonly ValidationSpec[] | null
  readonly failurePolicy?: string
  readonly auditAnnotations?: readonly { readonly key: string; readonly valueExpression: string }[]
  readonly matchConditions?: readonly NamedExpression[]
  readonly variables?: readonly NamedExpression[] | null
}

/** What is read of a binding. */
export interface PolicyBindingSpec {
  readonly policyName?: string
  readonly paramRef?: ParamRef
  readonly matchResources?: MatchConstraints
  readonly validationActions?: readonly string[]
}

/** The kind of a policy's parameters. */
export interface ParamKind {
  readonly apiVersion?: string
  readonly kind?: string
}

/** The parameters of a binding: one by its name, or all that the selector picks. */
export interface ParamRef {
  readonly name?: string
  readonly namespace?: string
  readonly selector?: LabelSelector
  readonly parameterNotFoundAction?: string
}

/** MatchResources. */
export interface MatchConstraints {
  readonly namespaceSelector?: LabelSelector
  readonly objectSelector?: LabelSelector
  readonly resourceRules?: readonly Rule[]
  readonly excludeResourceRules?: readonly Rule[]
  readonly matchPolicy?: string
}

/** One entry of `spec.validations`. */
export interface ValidationSpec {
  readonly expression: string
  readonly message?: string
  readonly reason?: string
  readonly messageExpression?: string
}

interface NamedExpression {
  readonly name: string
  readonly expression: string
}
