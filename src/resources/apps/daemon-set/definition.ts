import type { DaemonSet } from '../../../api/apps/v1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { TableDefinition, Version } from '../../../catalog/definition.ts'
import type { Strategy } from '../../../catalog/strategy.ts'
import type { Steps } from '../../../lib/steps.ts'
import { age } from '../../../meta/age.ts'
import { deepEqualInSteps } from '../../../meta/equal.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { printLabelSelector, printLabels } from '../../../meta/label-selector.ts'
import { nameIsDnsSubdomain } from '../../../meta/names.ts'
import { defaultTemplateHostPorts } from '../../core/pod-spec/defaults.ts'
import { dropDisabledTemplateFields } from '../../core/pod-spec/drop.ts'
import { CONTAINER_COLUMNS, containerCells, SELECTOR_COLUMN } from '../../core/workload/container-columns.ts'
import { templateWarnings, withLargeTemplate } from '../../core/workload/template.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { prepareCreate, prepareUpdate } from '../../shared/spec-generation.ts'
import { STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { appsVersion } from '../version.ts'
import { setDaemonSetDefaults } from './defaults.ts'
import { setTemplateGeneration, templateGeneration } from './template-generation.ts'
import { validateDaemonSet, validateDaemonSetStatus } from './validation.ts'

const TEMPLATE = fieldPath('spec', 'template')

function* prepareDaemonSetUpdate(next: DaemonSet, old: DaemonSet): Steps<void> {
  const counting = prepareUpdate(next, old)
  if (counting) yield* counting
  const isSame = yield* deepEqualInSteps(next.spec.template, old.spec.template)
  setTemplateGeneration(next, templateGeneration(old) + (isSame ? 0 : 1))
}

const daemonSetStrategy: Strategy<DaemonSet> = {
  metaRounds: ['whole', 'change'],
  validateName: nameIsDnsSubdomain,
  resetFields: [['status']],
  prepare(next, old, { features }) {
    dropDisabledTemplateFields(next.spec.template, old?.spec.template, features)
    if (old) return prepareDaemonSetUpdate(next, old)
    prepareCreate(next, { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 })
    setTemplateGeneration(next, Math.max(1, templateGeneration(next)))
    return undefined
  },
  validate: withLargeTemplate<DaemonSet>(TEMPLATE, ({ spec }) => spec.template, validateDaemonSet),
  warnings: templateWarnings,
}

/** Writes to `status` keep the spec, and the generation of the template with it. */
const daemonSetStatusStrategy: Strategy<DaemonSet> = {
  resetFields: [['spec']],
  prepare(next, old) {
    if (!old) return
    next.spec = old.spec
    setTemplateGeneration(next, templateGeneration(old))
  },
  validate: validateDaemonSetStatus,
}

const daemonSetTable: TableDefinition<DaemonSet> = {
  columns: [
    nameColumn,
    column('Desired', 'Nodes that should run the pod.', 0, 'integer'),
    column('Current', 'Nodes that run the pod, as they should.', 0, 'integer'),
    column('Ready', 'Nodes on which the pod is ready.', 0, 'integer'),
    column('Up-to-date', 'Nodes whose pod has the current template.', 0, 'integer'),
    column('Available', 'Nodes on which the pod has been ready for minReadySeconds.', 0, 'integer'),
    column('Node Selector', 'Labels of the nodes that run the pod.'),
    ageColumn,
    ...CONTAINER_COLUMNS,
    SELECTOR_COLUMN,
  ],
  cells: ({ metadata, spec, status }, now) => [
    metadata.name ?? '',
    status.desiredNumberScheduled ?? 0,
    status.currentNumberScheduled ?? 0,
    status.numberReady ?? 0,
    status.updatedNumberScheduled ?? 0,
    status.numberAvailable ?? 0,
    printLabels(spec.template.spec.nodeSelector),
    age(metadata.creationTimestamp, now),
    ...containerCells(spec.template),
    printLabelSelector(spec.selector),
  ],
}

const v1: Version<DaemonSet> = {
  ...appsVersion('DaemonSet', { plural: 'daemonsets', singular: 'daemonset', shortNames: ['ds'] }),
  setDefaults: setDaemonSetDefaults,
  setGatedDefaults: ({ spec }, features) => defaultTemplateHostPorts(spec.template, features),
  table: daemonSetTable,
  subresources: { status: { verbs: STATUS_VERBS, strategy: daemonSetStatusStrategy } },
}

/**
 * Runs a pod on each node. The field `templateGeneration` of older versions became an annotation, which only the server
 * increments. https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/ Source of its rules:
 * pkg/registry/apps/daemonset.
 */
export const daemonSetResource = defineResource<DaemonSet>({
  scope: 'Namespaced',
  versions: [v1],
  hub: v1,
  storage: { prefix: 'daemonsets', version: v1 },
  strategy: daemonSetStrategy,
})
