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
  apiGroups 1 []string? atomic
  apiVersions 2 []string? atomic
  resources 3 []string? atomic
  scope 4 *ScopeType?

type RuleWithOperations
  operations 1 []OperationType? atomic
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

type ApplyConfiguration
  expression 1 string?

type JSONPatch
  expression 1 string?

type MutatingAdmissionPolicy typemeta
  metadata 1 meta.ObjectMeta?
  spec 2 MutatingAdmissionPolicySpec?

type MutatingAdmissionPolicyBinding typemeta
  metadata 1 meta.ObjectMeta?
  spec 2 MutatingAdmissionPolicyBindingSpec?

type MutatingAdmissionPolicyBindingList typemeta
  metadata 1 meta.ListMeta?
  items 2 []MutatingAdmissionPolicyBinding

type MutatingAdmissionPolicyBindingSpec
  policyName 1 string?
  paramRef 2 *ParamRef?
  matchResources 3 *MatchResources?

type MutatingAdmissionPolicyList typemeta
  metadata 1 meta.ListMeta?
  items 2 []MutatingAdmissionPolicy

type MutatingAdmissionPolicySpec
  paramKind 1 *ParamKind?
  matchConstraints 2 *MatchResources?
  variables 3 []Variable? atomic
  mutations 4 []Mutation? atomic
  failurePolicy 5 *FailurePolicyType?
  matchConditions 6 []MatchCondition? map(name) merge(name)
  reinvocationPolicy 7 admissionregistration.ReinvocationPolicyType?

type Mutation
  patchType 2 PatchType
  applyConfiguration 3 *ApplyConfiguration?
  jsonPatch 4 *JSONPatch?
${policyTypes({
  failurePolicy: 'FailurePolicyType',
  matchPolicy: 'MatchPolicyType',
  notFoundAction: 'ParameterNotFoundActionType',
  rule: 'admissionregistration.RuleWithOperations',
  variableMark: '',
})}`,
}
