import type { StatefulSet } from '../../../api/apps/v1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { TableDefinition, Version } from '../../../catalog/definition.ts'
import type { Strategy } from '../../../catalog/strategy.ts'
import { mapResult } from '../../../lib/steps.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { age } from '../../../meta/age.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { nameIsDnsLabel, nameIsDnsSubdomain } from '../../../meta/names.ts'
import { dropDisabledTemplateFields } from '../../core/pod-spec/drop.ts'
import { claimSpecWarnings } from '../../core/pod-spec/volume-warnings.ts'
import { CONTAINER_COLUMNS, containerCells } from '../../core/workload/container-columns.ts'
import { templateWarnings } from '../../core/workload/template.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { scaleSelector, scaleSubresource } from '../../shared/scale.ts'
import { prepareCreate, prepareUpdate } from '../../shared/spec-generation.ts'
import { keepSpec, STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { appsVersion } from '../version.ts'
import { setGatedStatefulSetDefaults, setStatefulSetDefaults } from './defaults.ts'
import { validateStatefulSet, validateStatefulSetStatus } from './validation.ts'

/** Warnings for claim templates. The path in those of an update is upstream's. */
const claimWarnings = ({ spec: { volumeClaimTemplates: claims = [] } }: StatefulSet, isUpdate: boolean): string[] =>
  claims.flatMap(({ spec }, i) => {
    const path = fieldPath('spec', 'volumeClaimTemplates').index(i)
    return claimSpecWarnings(spec, isUpdate ? path.child('Spec') : path)
  })

const statefulSetStrategy: Strategy<StatefulSet> = {
  // Pods are named after the set. Before 1.27 names were accepted with which no pods can be created.
  validateName: (name, prefix, { release }) => (isSince(release, '1.27') ? nameIsDnsLabel : nameIsDnsSubdomain)(name, prefix),
  resetFields: [['status']],
  prepare(next, old, { features }) {
    dropDisabledTemplateFields(next.spec.template, old?.spec.template, features)
    return old ? prepareUpdate(next, old) : prepareCreate(next, { replicas: 0, availableReplicas: 0 })
  },
  validate: validateStatefulSet,
  warnings(next, old, ctx) {
    const { release } = ctx.features
    return mapResult(templateWarnings(next, old, ctx), ofTemplate => {
      const warnings = isSince(release, '1.26') ? [...ofTemplate, ...claimWarnings(next, old !== undefined)] : ofTemplate
      if (!isSince(release, '1.33') || (next.spec.revisionHistoryLimit ?? 0) >= 0) return warnings
      return [...warnings, 'spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended']
    })
  },
}

const statefulSetStatusStrategy: Strategy<StatefulSet> = {
  resetFields: [['spec']],
  prepare: keepSpec,
  validate: validateStatefulSetStatus,
}

const statefulSetTable: TableDefinition<StatefulSet> = {
  columns: [nameColumn, column('Ready', 'Ready and desired pods.'), ageColumn, ...CONTAINER_COLUMNS],
  cells: ({ metadata, spec, status }, now) => [
    metadata.name ?? '',
    `${status.readyReplicas ?? 0}/${spec.replicas ?? 0}`,
    age(metadata.creationTimestamp, now),
    ...containerCells(spec.template),
  ],
}

const v1: Version<StatefulSet> = {
  ...appsVersion('StatefulSet', { plural: 'statefulsets', singular: 'statefulset', shortNames: ['sts'] }),
  setDefaults: setStatefulSetDefaults,
  setGatedDefaults: setGatedStatefulSetDefaults,
  table: statefulSetTable,
  subresources: {
    scale: scaleSubresource<StatefulSet>(scaleSelector),
    status: { verbs: STATUS_VERBS, strategy: statefulSetStatusStrategy },
  },
}

/**
 * Pods with stable names and volumes. In the spec only replicas, template, update strategy and a few other fields are
 * mutable. https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/ Source of its rules:
 * pkg/registry/apps/statefulset.
 */
export const statefulSetResource = defineResource<StatefulSet>({
  scope: 'Namespaced',
  versions: [v1],
  hub: v1,
  storage: { prefix: 'statefulsets', version: v1 },
  strategy: statefulSetStrategy,
})
