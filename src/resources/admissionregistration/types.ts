import type { TypePackage } from '../../schema/idl.ts'
import { policyTypes } from './policy-types.ts'
import { webhookTypes } from './webhook-types.ts'

/** The types of admissionregistration.k8s.io/v1. */
export const admissionRegistrationTypes: TypePackage = {
  id: 'admissionregistration',
  definition: 'io.k8s.api.admissionregistration.v1',
  source: `
enum FailurePolicyType Fail Ignore
enum MatchPolicyType Equivalent Exact
enum OperationType * CONNECT CREATE DELETE UPDATE
enum ReinvocationPolicyType IfNeeded Never
enum ScopeType * Cluster Namespaced
enum SideEffectClass None NoneOnDryRun Some Unknown
enum ValidationAction Audit Deny Warn

type Rule
  apiGroups 1 []string? atomic # Groups of the resources; \`*\` for all.
  apiVersions 2 []string? atomic # Versions of the resources; \`*\` for all.
  resources 3 []string? atomic # Resources and subresources: \`pods\`, \`pods/log\`, \`*\`, \`pods/*\`, \`*/scale\`, \`*/*\`.
  scope 4 *ScopeType? # Cluster, Namespaced, or \`*\` for both.

type RuleWithOperations
  operations 1 []OperationType? atomic # CREATE, UPDATE, DELETE, CONNECT, or \`*\` for all.
  inline 2 Rule

${webhookTypes({
  rule: 'RuleWithOperations',
  failurePolicy: '*FailurePolicyType?',
  matchPolicy: '*MatchPolicyType?',
  sideEffects: '*SideEffectClass',
  reinvocationPolicy: '*ReinvocationPolicyType?',
  reviewVersions: '[]string',
  validatingMark: '',
})}
${policyTypes({
  failurePolicy: 'FailurePolicyType',
  matchPolicy: 'MatchPolicyType',
  notFoundAction: 'string',
  rule: 'RuleWithOperations',
  variableMark: ' atomic',
})}`,
}

/** Of v1beta1: policies, and the webhooks of releases before 1.22. */
export const admissionRegistrationV1beta1Types: TypePackage = {
  id: 'admissionregistrationV1beta1',
  definition: 'io.k8s.api.admissionregistration.v1beta1',
  source: `
enum ValidationAction Audit Deny Warn
${webhookTypes({
  rule: 'admissionregistration.RuleWithOperations',
  failurePolicy: '*string?',
  matchPolicy: '*string?',
  sideEffects: '*string?',
  reinvocationPolicy: '*string?',
  reviewVersions: '[]string?',
  validatingMark: ' strayatomic',
})}
${policyTypes({
  failurePolicy: 'string',
  matchPolicy: 'string',
  notFoundAction: 'string',
  rule: 'admissionregistration.RuleWithOperations',
  variableMark: ' atomic',
})}`,
}

/** Of v1alpha1, as far as release 1.33 has it: policies that change objects. */
export const admissionRegistrationV1alpha1Types: TypePackage = {
  id: 'admissionregistrationV1alpha1',
  definition: 'io.k8s.api.admissionregistration.v1alpha1',
  source: `
enum FailurePolicyType Fail Ignore
enum MatchPolicyType Equivalent Exact
enum ParameterNotFoundActionType Allow Deny
enum PatchType ApplyConfiguration JSONPatch
enum ValidationAction Audit Deny Warn

type ApplyConfiguration # A change as an apply makes it.
  expression 1 string? # Expression in CEL that gives the configuration that is applied: \`Object{spec: Object.spec{replicas: 2}}\`.

type JSONPatch # A change by operations of JSON patch.
  expression 1 string? # Expression in CEL that gives the list of operations: \`[JSONPatch{op: "add", path: "/spec/replicas", value: 2}]\`.

type MutatingAdmissionPolicy typemeta # Changes in CEL that are made to objects on their way into the store; they apply where a binding says so.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  spec 2 MutatingAdmissionPolicySpec? # What is wanted.

type MutatingAdmissionPolicyBinding typemeta # Puts a policy into force: where, and with what parameters.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  spec 2 MutatingAdmissionPolicyBindingSpec? # What is wanted.

type MutatingAdmissionPolicyBindingList typemeta
  metadata 1 meta.ListMeta?
  items 2 []MutatingAdmissionPolicyBinding

type MutatingAdmissionPolicyBindingSpec
  policyName 1 string? # Name of the policy. A binding to a policy that does not exist does nothing.
  paramRef 2 *ParamRef? # The parameters, for a policy that has a paramKind.
  matchResources 3 *MatchResources? # Narrows what the policy matches; all of it unless said.

type MutatingAdmissionPolicyList typemeta
  metadata 1 meta.ListMeta?
  items 2 []MutatingAdmissionPolicy

type MutatingAdmissionPolicySpec
  paramKind 1 *ParamKind? # Kind of the parameters; absent for a policy that has none.
  matchConstraints 2 *MatchResources? # What requests the policy is for: creations, updates and connections.
  variables 3 []Variable? atomic # Named expressions that the others may use as \`variables.<name>\`, each one those before it.
  mutations 4 []Mutation? atomic # The changes, made one after the other.
  failurePolicy 5 *FailurePolicyType? # Fail refuses the request where the policy cannot be evaluated; Ignore goes on without it.
  matchConditions 6 []MatchCondition? map(name) merge(name) # Conditions in CEL that a request must fulfil, all of them; 64 at most.
  reinvocationPolicy 7 admissionregistration.ReinvocationPolicyType? # Never, or IfNeeded: evaluated again where a later step has changed the object.

type Mutation # One change of an object.
  patchType 2 PatchType # ApplyConfiguration or JSONPatch.
  applyConfiguration 3 *ApplyConfiguration? # The change, where patchType is ApplyConfiguration.
  jsonPatch 4 *JSONPatch? # The change, where patchType is JSONPatch.
${policyTypes({
  failurePolicy: 'FailurePolicyType',
  matchPolicy: 'MatchPolicyType',
  notFoundAction: 'ParameterNotFoundActionType',
  rule: 'admissionregistration.RuleWithOperations',
  variableMark: '',
})}`,
}
