import { aggregate } from '../lib/aggregate.ts'
import type { Steps } from '../lib/steps.ts'
import { fieldErrorText, invalid } from '../meta/field-error.ts'
import { fieldPath } from '../meta/field-path.ts'
import type { TypedObject } from '../meta/object.ts'
import { formatTime } from '../meta/time.ts'
import { APPROVED, approvalState } from '../resources/apiextensions/custom-resource-definition/approval.ts'
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionCondition,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionStatus,
} from '../resources/apiextensions/v1.types.ts'
import { validateStructural } from '../schema/json-schema/structural.ts'
import { findStructuralFault } from '../schema/json-schema/structural-form.ts'

/** A definition without its versions. */
export type DefinitionHead = TypedObject & { spec: Pick<CustomResourceDefinitionSpec, 'group' | 'names'>; status: CustomResourceDefinitionStatus }

/** A condition to report, without the time since when. */
export type Condition = Required<Omit<CustomResourceDefinitionCondition, 'lastTransitionTime' | 'observedGeneration'>>

/** As it is stored; a definition has one of each type at most. */
export const conditionOf = ({ status }: Pick<DefinitionHead, 'status'>, type: string): CustomResourceDefinitionCondition | undefined =>
  status.conditions?.find(condition => condition.type === type)

/** Whether nothing is to be written; the time does not count. */
const isSame = (a: CustomResourceDefinitionCondition | undefined, b: Condition): boolean =>
  a?.status === b.status && a.reason === b.reason && a.message === b.message

/** The definition, which the caller owns, with these conditions; its time is that of the last change of the status. */
export function withConditions<T extends DefinitionHead>(definition: T, conditions: readonly Condition[], now: number): T {
  const list = [...(definition.status.conditions ?? [])]
  for (const condition of conditions) {
    const at = list.findIndex(({ type }) => type === condition.type)
    const before = list[at]
    const lastTransitionTime = (before?.status === condition.status ? before.lastTransitionTime : undefined) ?? formatTime(now)
    const { type, status, reason, message } = condition
    const next = { ...before, type, status, lastTransitionTime, reason, message }
    if (at < 0) list.push(next)
    else list[at] = next
  }
  definition.status = { ...definition.status, conditions: list }
  return definition
}

/** The conditions that follow from what a definition says, by their types; undefined where one is to be absent. */
export type Derived = Readonly<Record<'NonStructuralSchema' | 'KubernetesAPIApprovalPolicyConformant', Condition | undefined>>

/** In steps. `before`: of the same schemas. */
export function* derive(definition: CustomResourceDefinition, before: Derived | undefined): Steps<Derived> {
  return {
    NonStructuralSchema: before ? before.NonStructuralSchema : yield* structuralCondition(definition),
    KubernetesAPIApprovalPolicyConformant: approvalCondition(definition),
  }
}

/** Those of them that a definition lacks or has out of date; and the type of one that no longer holds. */
export function missingConditions(definition: DefinitionHead, derived: Derived): { readonly set: Condition[]; readonly remove: string[] } {
  const set: Condition[] = []
  const remove: string[] = []
  for (const [type, wanted] of Object.entries(derived)) {
    const before = conditionOf(definition, type)
    if (wanted && !isSame(before, wanted)) set.push(wanted)
    else if (!wanted && before) remove.push(type)
  }
  return { set, remove }
}

/** NonStructuralSchema: for definitions of v1beta1 that are stored without a structural schema. */
function* structuralCondition({ spec: { versions, preserveUnknownFields } }: CustomResourceDefinition): Steps<Condition | undefined> {
  const violated = (reason: string, message: string): Condition => ({ type: 'NonStructuralSchema', status: 'True', reason, message })
  const errors = preserveUnknownFields ? [invalid(fieldPath('spec', 'preserveUnknownFields'), true, 'must be false')] : []
  for (const [i, { name, schema }] of (versions ?? []).entries()) {
    const props = schema?.openAPIV3Schema
    if (!props) continue
    const fault = yield* findStructuralFault(props)
    if (fault !== undefined) return violated('StructuralError', `failed to check validation schema for version ${name}: ${fault}`)
    errors.push(...(yield* validateStructural(props, fieldPath('spec', 'versions').index(i).child('schema', 'openAPIV3Schema'))))
  }
  if (errors.length === 0) return undefined
  return violated('Violations', aggregate(errors.map(fieldErrorText)))
}

/** KubernetesAPIApprovalPolicyConformant: for groups below k8s.io and kubernetes.io. */
function approvalCondition(definition: CustomResourceDefinition): Condition | undefined {
  const approval = approvalState(definition.spec.group, definition.metadata)
  return approval && { type: 'KubernetesAPIApprovalPolicyConformant', status: approval.reason === APPROVED ? 'True' : 'False', ...approval }
}
