import type { Strategy } from '../../../catalog/definition.ts'
import { deepEqual } from '../../../meta/equal.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { cidrWarnings } from '../../../meta/ip.ts'
import { keepMembers, SPEC_FIELDS, STATUS_FIELDS } from '../../shared/strategy-parts.ts'
import { validateNode, validateNodeUpdate } from './validation.ts'

export const nodeStrategy: Strategy = {
  resetFields: STATUS_FIELDS,
  /** A kubelet creates its node with a status. Configuration by ConfigMap exists no more: it stays only where it is. */
  prepare(next, old) {
    if (old) keepMembers(next, old, 'status')
    else if (next.status?.config !== undefined) delete next.status.config
    if (next.spec?.configSource !== undefined && old?.spec?.configSource === undefined) delete next.spec.configSource
  },
  validate: (next, old) => (old ? [...validateNode(next), ...validateNodeUpdate(next, old)] : validateNode(next)),
  warnings(next, old) {
    const warnings: string[] = []
    const cidrs: string[] = next.spec?.podCIDRs ?? []
    if (next.spec?.configSource) warnings.push('spec.configSource: the feature is removed')
    if (next.spec?.externalID) warnings.push('spec.externalID: this field is deprecated, and is unused by Kubernetes')
    if (!deepEqual(cidrs, old?.spec?.podCIDRs)) {
      for (const [i, cidr] of cidrs.entries()) warnings.push(...cidrWarnings(fieldPath('spec', 'podCIDRs').index(i), cidr))
    }
    return warnings
  },
}

export const nodeStatusStrategy: Strategy = {
  resetFields: SPEC_FIELDS,
  prepare(next, old) {
    if (!old) return
    keepMembers(next, old, 'spec')
    if (next.status?.config !== undefined && old.status?.config === undefined) delete next.status.config
  },
  validate: (next, old) => (old ? validateNodeUpdate(next, old) : []),
}
