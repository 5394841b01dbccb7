import type {
  CustomResourceDefinition,
  CustomResourceDefinitionCondition,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionStatus,
} from '../api/apiextensions/v1.types.ts'
import type { TypedObject } from '../api/meta/object.ts'
import { aggregate } from '../lib/aggregate.ts'
import type { Steps } from '../lib/steps.ts'
import { fieldErrorText, invalid } from '../meta/field-error.ts'
import { fieldPath } from '../meta/field-path.ts'
import { formatTime } from '../meta/time.ts'
import { APPROVED, approvalState } from '../resources/apiextensions/custom-resource-definition/approval.ts'
import { validateStructural } from '../schema/json-schema/structural.ts'
import { findStructuralFault } from '../schema/json-schema/structural-form.ts'

/** A definition without its versions. */
export type DefinitionHead = TypedObject & {
  spec: Pick<CustomResourceDefinitionSpec, 'group' | 'names'>
  status: CustomResourceDefinitionStatus
}

/** A condition without lastTransitionTime. */
export type DefinitionCondition = Required<Omit<CustomResourceDefinitionCondition, 'lastTransitionTime' | 'observedGeneration'>>

/** Returns the stored condition of a type. A definition has at most one. */
export const conditionOf = ({ status }: Pick<DefinitionHead, 'status'>, type: string): CustomResourceDefinitionCondition | undefined =>
  status.conditions?.find(condition => condition.type === type)

/** Whether the conditions are equal except for their times. */
const isSameCondition = (a: CustomResourceDefinitionCondition | undefined, b: DefinitionCondition): boolean =>
  a?.status === b.status && a.reason === b.reason && a.message === b.message

/** Sets conditions on a definition, which the caller owns. lastTransitionTime changes only with the status. */
export function withConditions<T extends DefinitionHead>(definition: T, conditions: readonly DefinitionCondition[], now: number): T {
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

/** Conditions derived from the spec, by type. Undefined if the condition must be absent. */
export type Derived = Readonly<Record<'NonStructuralSchema' | 'KubernetesAPIApprovalPolicyConformant', DefinitionCondition | undefined>>

/** Derives the conditions, in steps. @param before conditions of the same schemas, which are reused. */
export function* derive(definition: CustomResourceDefinition, before: Derived | undefined): Steps<Derived> {
  return {
    NonStructuralSchema: before ? before.NonStructuralSchema : yield* structuralCondition(definition),
    KubernetesAPIApprovalPolicyConformant: approvalCondition(definition),
  }
}

/** Returns the derived conditions that are missing or outdated, and the types to remove. */
export function missingConditions(
  definition: DefinitionHead,
  derived: Derived,
): { readonly set: DefinitionCondition[]; readonly remove: string[] } {
  const set: DefinitionCondition[] = []
  const remove: string[] = []
  for (const [type, wanted] of Object.entries(derived)) {
    const before = conditionOf(definition, type)
    if (wanted && !isSameCondition(before, wanted)) set.push(wanted)
    else if (!wanted && before) remove.push(type)
  }
  return { set, remove }
}

/** Condition NonStructuralSchema, for definitions stored with v1beta1 and without a structural schema. */
function* structuralCondition({
  spec: { versions, preserveUnknownFields },
}: CustomResourceDefinition): Steps<DefinitionCondition | undefined> {
  const violated = (reason: string, message: string): DefinitionCondition => ({
    type: 'NonStructuralSchema',
    status: 'True',
    reason,
    message,
  })
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

/** Condition KubernetesAPIApprovalPolicyConformant, for groups below k8s.io and kubernetes.io. */
function approvalCondition(definition: CustomResourceDefinition): DefinitionCondition | undefined {
  const approval = approvalState(definition.spec.group, definition.metadata)
  return approval && { type: 'KubernetesAPIApprovalPolicyConformant', status: approval.reason === APPROVED ? 'True' : 'False', ...approval }
}
