import type { ReplicaSet } from '../../../api/apps/v1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { Version } from '../../../catalog/definition.ts'
import type { HookContext, Strategy } from '../../../catalog/strategy.ts'
import type { Steps } from '../../../lib/steps.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { printLabelSelector } from '../../../meta/label-selector.ts'
import { nameIsDnsSubdomain } from '../../../meta/names.ts'
import { validateNonNegative } from '../../../meta/object-meta-validation.ts'
import { field, fields, onUpdate, rules } from '../../../meta/rules.ts'
import { defaultPodTemplate, defaultTemplateHostPorts } from '../../core/pod-spec/defaults.ts'
import { dropDisabledTemplateFields } from '../../core/pod-spec/drop.ts'
import { replicaTable, validateReplicaStatus, validateReplicas } from '../../core/workload/replicas.ts'
import {
  requiredSelector,
  twiceOnUpdate,
  validateSelectorUnchanged,
  withLargeTemplate,
  workloadWarnings,
} from '../../core/workload/template.ts'
import { scaleSelector, scaleSubresource } from '../../shared/scale.ts'
import { prepareCreate, prepareUpdate } from '../../shared/spec-generation.ts'
import { keepSpec, STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { appsVersion } from '../version.ts'

function setReplicaSetDefaults(object: ReplicaSet): Steps<void> | undefined {
  object.spec.replicas ??= 1
  return defaultPodTemplate(object.spec.template)
}

/**
 * Validates a ReplicaSet. The selector is required, matches the labels of the template, and is immutable. Source:
 * pkg/apis/apps/validation in k8s.io/kubernetes.
 */
const validateReplicaSet = rules<ReplicaSet, HookContext>()(
  field(
    'spec',
    twiceOnUpdate(
      fields(['replicas', 'minReadySeconds'], validateNonNegative),
      // Upstream's message about an empty selector says "deployment", too.
      field('selector', requiredSelector('deployment')),
      validateReplicas,
    ),
    onUpdate(field('selector', validateSelectorUnchanged)),
  ),
)

const TEMPLATE = fieldPath('spec', 'template')

const replicaSetStrategy: Strategy<ReplicaSet> = {
  metaRounds: ['whole', 'change'],
  validateName: nameIsDnsSubdomain,
  resetFields: [['status']],
  prepare(next, old, { features }) {
    dropDisabledTemplateFields(next.spec.template, old?.spec.template, features)
    return old ? prepareUpdate(next, old) : prepareCreate(next, { replicas: 0 })
  },
  validate: withLargeTemplate<ReplicaSet>(TEMPLATE, ({ spec }) => spec.template, validateReplicaSet),
  warnings: workloadWarnings,
}

const replicaSetStatusStrategy: Strategy<ReplicaSet> = {
  resetFields: [['spec']],
  prepare: keepSpec,
  validate: validateReplicaStatus,
}

const replicaSetTable = replicaTable<ReplicaSet>(({ spec }) => printLabelSelector(spec.selector))

const v1: Version<ReplicaSet> = {
  ...appsVersion('ReplicaSet', { plural: 'replicasets', singular: 'replicaset', shortNames: ['rs'] }),
  setDefaults: setReplicaSetDefaults,
  setGatedDefaults: ({ spec }, features) => defaultTemplateHostPorts(spec.template, features),
  table: replicaSetTable,
  subresources: { scale: scaleSubresource<ReplicaSet>(scaleSelector), status: { verbs: STATUS_VERBS, strategy: replicaSetStatusStrategy } },
}

/**
 * A number of identical pods. The selector is immutable.
 * https://kubernetes.io/docs/concepts/workloads/controllers/replicaset/
 * Source of its rules: pkg/registry/apps/replicaset.
 */
export const replicaSetResource = defineResource<ReplicaSet>({
  scope: 'Namespaced',
  versions: [v1],
  hub: v1,
  storage: { prefix: 'replicasets', version: v1 },
  strategy: replicaSetStrategy,
})
