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
type AuditAnnotation
  key 1 string
  valueExpression 2 string

type ExpressionWarning
  fieldRef 2 string
  warning 3 string

type MatchCondition
  name 1 string
  expression 2 string

type MatchResources atomic
  namespaceSelector 1 *meta.LabelSelector?
  objectSelector 2 *meta.LabelSelector?
  resourceRules 3 []NamedRuleWithOperations? atomic
  excludeResourceRules 4 []NamedRuleWithOperations? atomic
  matchPolicy 7 *${names.matchPolicy}?

type NamedRuleWithOperations atomic
  resourceNames 1 []string? atomic
  inline 2 ${names.rule}

type ParamKind atomic
  apiVersion 1 string?
  kind 2 string?

type ParamRef atomic
  name 1 string?
  namespace 2 string?
  selector 3 *meta.LabelSelector?
  parameterNotFoundAction 4 *${names.notFoundAction}?

type TypeChecking
  expressionWarnings 1 []ExpressionWarning? atomic

type ValidatingAdmissionPolicy typemeta
  metadata 1 meta.ObjectMeta?
  spec 2 ValidatingAdmissionPolicySpec?
  status 3 ValidatingAdmissionPolicyStatus?

type ValidatingAdmissionPolicyBinding typemeta
  metadata 1 meta.ObjectMeta?
  spec 2 ValidatingAdmissionPolicyBindingSpec?

type ValidatingAdmissionPolicyBindingList typemeta
  metadata 1 meta.ListMeta?
  items 2 []ValidatingAdmissionPolicyBinding

type ValidatingAdmissionPolicyBindingSpec
  policyName 1 string?
  paramRef 2 *ParamRef?
  matchResources 3 *MatchResources?
  validationActions 4 []ValidationAction? set

type ValidatingAdmissionPolicyList typemeta
  metadata 1 meta.ListMeta?
  items 2 []ValidatingAdmissionPolicy

type ValidatingAdmissionPolicySpec
  paramKind 1 *ParamKind?
  matchConstraints 2 *MatchResources?
  validations 3 []Validation? atomic
  failurePolicy 4 *${names.failurePolicy}?
  auditAnnotations 5 []AuditAnnotation? atomic
  matchConditions 6 []MatchCondition? map(name) merge(name)
  variables 7 []Variable? map(name) merge(name)

type ValidatingAdmissionPolicyStatus
  observedGeneration 1 int64?
  typeChecking 2 *TypeChecking?
  conditions 3 []meta.Condition? map(type)

type Validation
  expression 1 string
  message 2 string?
  reason 3 *string?
  messageExpression 4 string?

type Variable${names.variableMark}
  name 1 string
  expression 2 string
`
