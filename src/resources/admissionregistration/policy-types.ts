/** What versions call the types of a few fields. */
export interface PolicyTypeNames {
  readonly failurePolicy: string
  readonly matchPolicy: string
  readonly notFoundAction: string
  readonly rule: string
  /** Behind the head of Variable. */
  readonly variableMark: '' | ' atomic'
}

/** The types of validating admission policies and what belongs to them: all versions have the same. */
export const policyTypes = (names: PolicyTypeNames): string => `
type AuditAnnotation # What a policy adds to the audit event of a request.
  key 1 string # Name of the annotation; prefixed by the name of the policy and a slash.
  valueExpression 2 string # Expression in CEL that gives the text of the annotation, or null for none.

type ExpressionWarning
  fieldRef 2 string # Path of the field that holds the expression, such as \`spec.validations[0].expression\`.
  warning 3 string # What type checking found, one paragraph a type.

type MatchCondition # A condition in CEL that a request must fulfil to be looked at.
  name 1 string # Name of the condition; a qualified name, unique in its list.
  expression 2 string # Expression in CEL that gives true where the request matches; it sees object, oldObject, request and authorizer.

type MatchResources atomic # Which requests are looked at: by rules, and by labels of the object and of its namespace.
  namespaceSelector 1 *meta.LabelSelector? # Only objects of namespaces with these labels; objects without a namespace match always.
  objectSelector 2 *meta.LabelSelector? # Only objects with these labels, before or after the change.
  resourceRules 3 []NamedRuleWithOperations? atomic # What operations on what resources match: one of the rules suffices.
  excludeResourceRules 4 []NamedRuleWithOperations? atomic # What does not match, whatever resourceRules say.
  matchPolicy 7 *${names.matchPolicy}? # Equivalent: also requests for another version of a resource in the rules. Exact: only what the rules name.

type NamedRuleWithOperations atomic
  resourceNames 1 []string? atomic # Only objects of these names; all where it is empty.
  inline 2 ${names.rule}

type ParamKind atomic # The kind of the objects that parameterize a policy.
  apiVersion 1 string? # Group and version of the kind, such as \`rules.example.com/v1\`.
  kind 2 string? # The kind.

type ParamRef atomic # The objects that parameterize a policy: one by its name, or all with some labels.
  name 1 string? # Name of the one object. Not together with selector.
  namespace 2 string? # Where to look; for a namespaced kind, the namespace of the request unless said.
  selector 3 *meta.LabelSelector? # Labels of the objects, each of which the policy is evaluated with. Not together with name.
  parameterNotFoundAction 4 *${names.notFoundAction}? # What happens where there is no such object: Allow or Deny.

type TypeChecking
  expressionWarnings 1 []ExpressionWarning? atomic # What type checking found, by expression.

type ValidatingAdmissionPolicy typemeta # Rules in CEL that decide whether a request may be fulfilled; they apply where a binding says so.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  spec 2 ValidatingAdmissionPolicySpec? # What is wanted.
  status 3 ValidatingAdmissionPolicyStatus? # What is, as last reported; not set by those who want something.

type ValidatingAdmissionPolicyBinding typemeta # Puts a policy into force: where, with what parameters, and with what consequences.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  spec 2 ValidatingAdmissionPolicyBindingSpec? # What is wanted.

type ValidatingAdmissionPolicyBindingList typemeta
  metadata 1 meta.ListMeta?
  items 2 []ValidatingAdmissionPolicyBinding

type ValidatingAdmissionPolicyBindingSpec
  policyName 1 string? # Name of the policy. A binding to a policy that does not exist does nothing.
  paramRef 2 *ParamRef? # The parameters, for a policy that has a paramKind.
  matchResources 3 *MatchResources? # Narrows what the policy matches; all of it unless said.
  validationActions 4 []ValidationAction? set # What a failed validation leads to: Deny, Warn, Audit; not Deny and Warn together.

type ValidatingAdmissionPolicyList typemeta
  metadata 1 meta.ListMeta?
  items 2 []ValidatingAdmissionPolicy

type ValidatingAdmissionPolicySpec
  paramKind 1 *ParamKind? # Kind of the parameters; absent for a policy that has none.
  matchConstraints 2 *MatchResources? # What requests the policy is for.
  validations 3 []Validation? atomic # Expressions that must all hold.
  failurePolicy 4 *${names.failurePolicy}? # Fail refuses the request where the policy cannot be evaluated; Ignore goes on without it.
  auditAnnotations 5 []AuditAnnotation? atomic # What is added to the audit event of each request that matches; 20 at most.
  matchConditions 6 []MatchCondition? map(name) merge(name) # Conditions in CEL that a request must fulfil, all of them; 64 at most.
  variables 7 []Variable? map(name) merge(name) # Named expressions that the others may use as \`variables.<name>\`, each one those before it.

type ValidatingAdmissionPolicyStatus
  observedGeneration 1 int64? # The generation that the status is about.
  typeChecking 2 *TypeChecking? # What a check of the expressions against the matched types found.
  conditions 3 []meta.Condition? map(type) # The present state, by conditions.

type Validation
  expression 1 string # Expression in CEL that gives true where the request is fine.
  message 2 string? # What the client is told otherwise; without line breaks.
  reason 3 *string? # Reason of the answer otherwise: Unauthorized, Forbidden, Invalid (unless said), RequestEntityTooLarge.
  messageExpression 4 string? # Expression in CEL that gives what the client is told; goes before message.

type Variable${names.variableMark} # A named expression of a policy.
  name 1 string # Name of the variable: an identifier of CEL.
  expression 2 string # Expression in CEL that gives its value.
`
