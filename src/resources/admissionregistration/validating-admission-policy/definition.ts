import type { ValidatingAdmissionPolicy } from '../../../api/admissionregistration/v1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { ResourceDefinition, TableDefinition, Version } from '../../../catalog/definition.ts'
import type { Strategy } from '../../../catalog/strategy.ts'
import { types } from '../../../catalog/types.ts'
import { age } from '../../../meta/age.ts'
import { validateMetaConditions } from '../../../meta/condition-validation.ts'
import { type FieldError, required } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { prepareCreate, prepareUpdate } from '../../shared/spec-generation.ts'
import { statusAloneStrategy } from '../../shared/status-metadata.ts'
import { STATUS_FIELDS, STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { setMatchResourcesDefaults } from '../match-resources.ts'
import { checkParamKind, type ParamAccess } from '../param-access.ts'
import { staticNameWarnings, withStaticNames } from '../static-names.ts'
import { admissionVersion } from '../version.ts'
import { validateAdmissionPolicy } from './validation.ts'

/**
 * Validates the warnings of type checking, each with a fieldRef and a text. The fieldRef is a JSONPath of kubectl and
 * is not parsed here. Source: pkg/apis/admissionregistration/validation.
 */
function validatePolicyStatus({ status }: ValidatingAdmissionPolicy): FieldError[] {
  const path = fieldPath('status')
  const warnings = status.typeChecking?.expressionWarnings ?? []
  const errors = warnings.flatMap(({ fieldRef, warning }, i) => {
    const at = path.child('typeChecking', 'expressionWarnings').index(i)
    return [...(warning ? [] : [required(at.child('warning'))]), ...(fieldRef.trim() === '' ? [required(at.child('fieldRef'))] : [])]
  })
  return [...errors, ...validateMetaConditions(status.conditions, path.child('conditions'))]
}

const policyStrategy: Strategy<ValidatingAdmissionPolicy> = {
  allowUnconditionalUpdate: false,
  metaRounds: ['whole'],
  plainFinalizers: true,
  resetFields: STATUS_FIELDS,
  prepare(next, old) {
    return old ? prepareUpdate(next, old) : prepareCreate(next, {})
  },
  validate: withStaticNames(validateAdmissionPolicy),
  warnings: staticNameWarnings,
}

const policyStatusStrategy = statusAloneStrategy({ allowUnconditionalUpdate: false, validate: validatePolicyStatus })

const table: TableDefinition<ValidatingAdmissionPolicy> = {
  columns: [
    nameColumn,
    column('Validations', 'Number of validations.', 0, 'integer'),
    column('ParamKind', 'Kind of the parameters, if any.'),
    ageColumn,
  ],
  cells: ({ metadata, spec }, now) => [
    metadata.name ?? '',
    (spec.validations ?? []).length,
    spec.paramKind ? `${spec.paramKind.apiVersion ?? ''}/${spec.paramKind.kind ?? ''}` : '<unset>',
    age(metadata.creationTimestamp, now),
  ],
}

const v1: Version<ValidatingAdmissionPolicy> = {
  ...admissionVersion('ValidatingAdmissionPolicy', { plural: 'validatingadmissionpolicies', singular: 'validatingadmissionpolicy' }),
  setDefaults(object) {
    object.spec.failurePolicy ??= 'Fail'
    setMatchResourcesDefaults(object.spec.matchConstraints)
  },
  table,
  subresources: { status: { verbs: STATUS_VERBS, strategy: policyStatusStrategy } },
}

/** Differs from v1 only in name. */
const v1beta1: Version<ValidatingAdmissionPolicy> = {
  ...v1,
  name: 'v1beta1',
  schema: types.type('admissionregistrationV1beta1.ValidatingAdmissionPolicy'),
}

/** The version of releases 1.26 to 1.31. Its status exists since 1.27. */
const v1alpha1: Version<ValidatingAdmissionPolicy> = {
  ...v1,
  name: 'v1alpha1',
  schema: types.type('admissionregistrationV1alpha1.ValidatingAdmissionPolicy'),
  listSchema: types.type('admissionregistrationV1alpha1.ValidatingAdmissionPolicyList'),
  subresources: { status: { verbs: STATUS_VERBS, since: '1.27', strategy: policyStatusStrategy } },
}

/**
 * Validates requests by expressions, which src/admission/policies evaluates. `params` is undefined if authorization is
 * disabled; then the author's access to parameters is not checked. Source of its rules:
 * pkg/registry/admissionregistration/validatingadmissionpolicy.
 */
export const createValidatingAdmissionPolicyResource = (params?: ParamAccess): ResourceDefinition =>
  defineResource<ValidatingAdmissionPolicy>({
    scope: 'Cluster',
    versions: [v1, v1beta1, v1alpha1],
    hub: v1,
    storage: { prefix: 'validatingadmissionpolicies', version: v1 },
    strategy: { ...policyStrategy, ...(params && { evaluate: checkParamKind(params) }) },
  })
