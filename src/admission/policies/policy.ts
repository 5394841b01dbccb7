import type { LabelSelector } from '../../meta/label-selector.ts'
import type { TypedObject } from '../../meta/object.ts'
import type { Rule } from '../matching.ts'

/**
 * What is read of policies and their bindings (admissionregistration.k8s.io), decoded and defaulted. Kinds are declared in a layer above this one, and theirs are assignable to these.
 */
export type Policy<Spec extends PolicySpec> = TypedObject & { readonly spec: Spec }
export type PolicyBinding = TypedObject & { readonly spec: PolicyBindingSpec }

/** What is read of policies of both kinds; the rest is validated when it is stored. */
export interface PolicySpec {
  readonly paramKind?: ParamKind
  readonly matchConstraints?: MatchConstraints
  readonly failurePolicy?: string
  readonly matchConditions?: readonly NamedExpression[]
  readonly variables?: readonly NamedExpression[] | null
}

/** What is read of a ValidatingAdmissionPolicy. */
export interface ValidatingSpec extends PolicySpec {
  readonly validations?: readonly ValidationSpec[] | null
  readonly auditAnnotations?: readonly { readonly key: string; readonly valueExpression: string }[]
}

/** What is read of a MutatingAdmissionPolicy. */
export interface MutatingSpec extends PolicySpec {
  readonly mutations?: readonly MutationSpec[] | null
  readonly reinvocationPolicy?: string
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

/** One entry of `spec.mutations`: the member that its type names. */
export interface MutationSpec {
  readonly patchType: string
  readonly applyConfiguration?: { readonly expression?: string }
  readonly jsonPatch?: { readonly expression?: string }
}

interface NamedExpression {
  readonly name: string
  readonly expression: string
}
