import type { PriorityLevelConfiguration } from '../../../api/flowcontrol/v1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import { flowControlStrategy } from '../strategies.ts'
import { validatePriorityLevel } from './validation.ts'
import { PRIORITY_LEVEL_VERSIONS } from './versions.ts'

const { v1, v1beta3, v1beta2, v1beta1 } = PRIORITY_LEVEL_VERSIONS

/**
 * Limits the requests of a level that run and wait at one time. The mandatory levels have fixed specs
 * (bootstrap/mandatory.ts).
 * https://kubernetes.io/docs/concepts/cluster-administration/flow-control/#prioritylevelconfiguration Source of its
 * rules: pkg/registry/flowcontrol/prioritylevelconfiguration.
 */
export const priorityLevelConfigurationResource = defineResource<PriorityLevelConfiguration>({
  scope: 'Cluster',
  versions: [v1, v1beta3, v1beta2, v1beta1],
  hub: v1,
  storage: { prefix: 'prioritylevelconfigurations', version: v1 },
  strategy: flowControlStrategy(validatePriorityLevel),
})
