import type { ReplicationController } from '../../../api/core/v1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { Version } from '../../../catalog/definition.ts'
import type { Strategy } from '../../../catalog/strategy.ts'
import { types } from '../../../catalog/types.ts'
import { labelSelectorOfMap, printLabelRequirements, printLabels } from '../../../meta/label-selector.ts'
import { nameIsDnsSubdomain } from '../../../meta/names.ts'
import { scaleSubresource } from '../../shared/scale.ts'
import { prepareCreate, prepareUpdate } from '../../shared/spec-generation.ts'
import { keepSpec, STANDARD_VERBS, STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { defaultTemplateHostPorts } from '../pod-spec/defaults.ts'
import { dropDisabledTemplateFields } from '../pod-spec/drop.ts'
import { replicaTable, validateReplicaStatus } from '../workload/replicas.ts'
import { workloadWarnings } from '../workload/template.ts'
import { setReplicationControllerDefaults } from './defaults.ts'
import { validateReplicationController } from './validation.ts'

const strategy: Strategy<ReplicationController> = {
  metaRounds: ['whole', 'change'],
  validateName: nameIsDnsSubdomain,
  resetFields: [['status']],
  defaultPropagation: 'orphan', // as before garbage collection existed
  prepare(next, old, { features }) {
    if (next.spec.template) dropDisabledTemplateFields(next.spec.template, old?.spec.template, features)
    return old ? prepareUpdate(next, old) : prepareCreate(next, { replicas: 0 })
  },
  validate: validateReplicationController,
  warnings: workloadWarnings,
}

const statusStrategy: Strategy<ReplicationController> = {
  resetFields: [['spec']],
  prepare: keepSpec,
  validate: validateReplicaStatus,
}

const v1: Version<ReplicationController> = {
  group: '',
  name: 'v1',
  kind: 'ReplicationController',
  names: { plural: 'replicationcontrollers', singular: 'replicationcontroller', shortNames: ['rc'] },
  categories: ['all'],
  verbs: STANDARD_VERBS,
  schema: types.type('core.ReplicationController'),
  setDefaults: setReplicationControllerDefaults,
  setGatedDefaults({ spec }, features) {
    if (spec.template) defaultTemplateHostPorts(spec.template, features)
  },
  table: replicaTable(({ spec }) => printLabels(spec.selector)),
  selectableFields: { 'status.replicas': ({ status }) => String(status.replicas ?? 0) },
  subresources: {
    scale: scaleSubresource<ReplicationController>(({ spec }) => printLabelRequirements(labelSelectorOfMap(spec.selector)), true),
    status: { verbs: STATUS_VERBS, strategy: statusStrategy },
  },
}

/**
 * A number of identical pods; the predecessor of ReplicaSet. Stored below `controllers`. Its selector is a map of
 * labels. https://kubernetes.io/docs/concepts/workloads/controllers/replicationcontroller/ Source of its rules:
 * pkg/registry/core/replicationcontroller.
 */
export const replicationControllerResource = defineResource<ReplicationController>({
  scope: 'Namespaced',
  versions: [v1],
  hub: v1,
  storage: { prefix: 'controllers', version: v1 },
  strategy,
})
