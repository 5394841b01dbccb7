import type { NetworkPolicy } from '../../../api/networking/v1.types.ts'
import type { Strategy } from '../../../catalog/strategy.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { validateMetaConditions } from '../../../meta/condition-validation.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { SPEC_FIELDS } from '../../shared/strategy-parts.ts'

const hasConditions = ({ status }: NetworkPolicy): boolean => (status?.conditions ?? []).length > 0

/**
 * Prepares the status, which releases before 1.28 had behind a gate. While the gate is off, an existing status is kept.
 */
export function prepareStatus(next: NetworkPolicy, old: NetworkPolicy | undefined, features: Features): void {
  const isOn = features.enabled('NetworkPolicyStatus')
  if (!old && isOn) next.status = {}
  if (old && (isOn || hasConditions(old))) next.status = old.status
}

/** Strategy of `status`. While the gate is off, it may be cleared but not changed. */
export const networkPolicyStatusStrategy: Strategy<NetworkPolicy> = {
  resetFields: SPEC_FIELDS,
  prepare(next, old, { features }) {
    if (!old) return
    next.spec = old.spec
    if (!features.enabled('NetworkPolicyStatus')) next.status = hasConditions(next) ? old.status : {}
  },
  validate: ({ status }) => validateMetaConditions(status?.conditions, fieldPath('status', 'conditions')),
}
