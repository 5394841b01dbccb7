import { defineResource } from '../../../catalog/define.ts'
import type { HookContext, Strategy, Version } from '../../../catalog/definition.ts'
import { type FieldError, invalid } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { printLabelSelector } from '../../../meta/label-selector.ts'
import { nameIsDnsSubdomain } from '../../../meta/names.ts'
import { validateNonNegative } from '../../../meta/object-meta-validation.ts'
import { scaleSubresource } from '../../autoscaling/scale/view.ts'
import { defaultPodTemplate, defaultTemplateHostPorts } from '../../core/pod-spec/defaults.ts'
import { dropDisabledTemplateFields } from '../../core/pod-spec/drop.ts'
import { podTemplateOptions } from '../../core/pod-spec/options.ts'
import { goLabelSelector } from '../../shared/go-syntax.ts'
import { keepSpec, STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { prepareCreate, prepareUpdate } from '../../shared/workload/generation.ts'
import { replicaTable, validateReplicaStatus, validateReplicaTemplate } from '../../shared/workload/replicas.ts'
import { scaleSelector } from '../../shared/workload/scale-selector.ts'
import { hostNameWarnings, selectionOf, templateWarnings, validateSelectorGiven, validateSelectorUnchanged } from '../../shared/workload/template.ts'
import type { ReplicaSet } from '../v1.types.ts'
import { appsVersion } from '../version.ts'

function setReplicaSetDefaults(object: ReplicaSet): void {
  object.spec.replicas ??= 1
  defaultPodTemplate(object.spec.template)
}

/**
 * Validates a ReplicaSet. The selector is required, matches the labels of the template, and is immutable. Source: pkg/apis/apps/validation in
 * k8s.io/kubernetes.
 */
function validateReplicaSet(next: ReplicaSet, old: ReplicaSet | undefined, { features }: HookContext): FieldError[] {
  const path = fieldPath('spec')
  const { spec } = next
  const errors = [...validateNonNegative(spec.replicas, path.child('replicas')), ...validateNonNegative(spec.minReadySeconds, path.child('minReadySeconds'))]
  // Upstream's message about an empty selector says "deployment", too.
  errors.push(...validateSelectorGiven(spec.selector, 'deployment', path.child('selector')))
  const selection = selectionOf(spec.selector)
  if (!selection) errors.push(invalid(path.child('selector'), goLabelSelector(spec.selector ?? {}), 'invalid label selector'))
  else
    errors.push(...validateReplicaTemplate(spec.template, selection, path.child('template'), podTemplateOptions(features, spec.template, old?.spec.template)))
  // Upstream validates an updated object twice, and reports every error twice.
  return old ? [...errors, ...errors, ...validateSelectorUnchanged(spec.selector, old.spec.selector, path.child('selector'))] : errors
}

const replicaSetStrategy: Strategy<ReplicaSet> = {
  metaRounds: ['whole', 'change'],
  validateName: nameIsDnsSubdomain,
  resetFields: [['status']],
  prepare(next, old, { features }) {
    dropDisabledTemplateFields(next.spec.template, old?.spec.template, features)
    if (old) prepareUpdate(next, old)
    else prepareCreate(next, { replicas: 0 })
  },
  validate: validateReplicaSet,
  warnings: (next, old, ctx) => [...hostNameWarnings(next, old, ctx.features), ...templateWarnings(next, old, ctx)],
}

const replicaSetStatusStrategy: Strategy<ReplicaSet> = {
  resetFields: [['spec']],
  prepare: keepSpec,
  validate: next => validateReplicaStatus(next),
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
