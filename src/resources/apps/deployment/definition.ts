import type { Deployment } from '../../../api/apps/v1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { TableDefinition, Version } from '../../../catalog/definition.ts'
import type { Strategy } from '../../../catalog/strategy.ts'
import { age } from '../../../meta/age.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { printLabelSelector } from '../../../meta/label-selector.ts'
import { nameIsDnsSubdomain } from '../../../meta/names.ts'
import { defaultTemplateHostPorts } from '../../core/pod-spec/defaults.ts'
import { dropDisabledTemplateFields } from '../../core/pod-spec/drop.ts'
import { CONTAINER_COLUMNS, containerCells, SELECTOR_COLUMN } from '../../core/workload/container-columns.ts'
import { withLargeTemplate, workloadWarnings } from '../../core/workload/template.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { scaleSelector, scaleSubresource } from '../../shared/scale.ts'
import { prepareCreate, prepareUpdate } from '../../shared/spec-generation.ts'
import { STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { appsVersion } from '../version.ts'
import { setDeploymentDefaults } from './defaults.ts'
import { validateDeployment, validateDeploymentStatus } from './validation.ts'

const TEMPLATE = fieldPath('spec', 'template')

const deploymentStrategy: Strategy<Deployment> = {
  validateName: nameIsDnsSubdomain,
  resetFields: [['status']],
  prepare(next, old, { features }) {
    dropDisabledTemplateFields(next.spec.template, old?.spec.template, features)
    // Annotations are copied to the replica sets, so a change of annotations also increments the generation.
    return old ? prepareUpdate(next, old, ({ spec, metadata }) => [spec, metadata.annotations]) : prepareCreate(next, {})
  },
  validate: withLargeTemplate<Deployment>(TEMPLATE, ({ spec }) => spec.template, validateDeployment),
  warnings: workloadWarnings,
}

/** Writes to `status` keep spec and labels: a controller that writes the status cannot change what is selected. */
const deploymentStatusStrategy: Strategy<Deployment> = {
  resetFields: [['spec'], ['metadata', 'labels']],
  prepare(next, old) {
    if (!old) return
    next.spec = old.spec
    if (old.metadata.labels) next.metadata.labels = old.metadata.labels
    else delete next.metadata.labels
  },
  validate: validateDeploymentStatus,
}

const deploymentTable: TableDefinition<Deployment> = {
  columns: [
    nameColumn,
    column('Ready', 'Ready and desired pods.'),
    column('Up-to-date', 'Number of pods with the current template.'),
    column('Available', 'Pods that have been ready for minReadySeconds.'),
    ageColumn,
    ...CONTAINER_COLUMNS,
    SELECTOR_COLUMN,
  ],
  cells: ({ metadata, spec, status }, now) => [
    metadata.name ?? '',
    `${status.readyReplicas ?? 0}/${spec.replicas ?? 0}`,
    status.updatedReplicas ?? 0,
    status.availableReplicas ?? 0,
    age(metadata.creationTimestamp, now),
    ...containerCells(spec.template),
    printLabelSelector(spec.selector),
  ],
}

const v1: Version<Deployment> = {
  ...appsVersion('Deployment', { plural: 'deployments', singular: 'deployment', shortNames: ['deploy'] }),
  setDefaults: setDeploymentDefaults,
  setGatedDefaults: ({ spec }, features) => defaultTemplateHostPorts(spec.template, features),
  table: deploymentTable,
  subresources: { scale: scaleSubresource<Deployment>(scaleSelector), status: { verbs: STATUS_VERBS, strategy: deploymentStatusStrategy } },
}

/**
 * Rolls out a pod template through replica sets. The selector is immutable.
 * https://kubernetes.io/docs/concepts/workloads/controllers/deployment/
 * Source of its rules: pkg/registry/apps/deployment.
 */
export const deploymentResource = defineResource<Deployment>({
  scope: 'Namespaced',
  versions: [v1],
  hub: v1,
  storage: { prefix: 'deployments', version: v1 },
  strategy: deploymentStrategy,
})
