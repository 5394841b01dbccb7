import type { PodTemplate } from '../../../api/core/v1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { Version } from '../../../catalog/definition.ts'
import type { Strategy } from '../../../catalog/strategy.ts'
import { types } from '../../../catalog/types.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { printLabels } from '../../../meta/label-selector.ts'
import { nameIsDnsSubdomain } from '../../../meta/names.ts'
import { column, nameColumn } from '../../shared/columns.ts'
import { countChange, setGeneration } from '../../shared/spec-generation.ts'
import { STANDARD_VERBS } from '../../shared/strategy-parts.ts'
import { defaultPodTemplate, defaultTemplateHostPorts } from '../pod-spec/defaults.ts'
import { dropDisabledTemplateFields } from '../pod-spec/drop.ts'
import { podTemplateOptions } from '../pod-spec/options.ts'
import { validatePodTemplateSpec } from '../pod-spec/validation.ts'
import { podTemplateWarnings } from '../pod-spec/warnings.ts'
import { withLargeTemplate } from '../workload/template.ts'

const TEMPLATE = fieldPath('template')

const strategy: Strategy<PodTemplate> = {
  validateName: nameIsDnsSubdomain,
  returnsDeleted: true,
  prepare(next, old, { features }) {
    dropDisabledTemplateFields(next.template, old?.template, features)
    return old ? countChange(next, old, ({ template }) => template) : setGeneration(next, old, false)
  },
  validate: withLargeTemplate<PodTemplate>(
    TEMPLATE,
    ({ template }) => template,
    (next, old, { features }) =>
      validatePodTemplateSpec(next.template, TEMPLATE, podTemplateOptions(features, next.template, old?.template)),
  ),
  warnings: (next, old, { features }) =>
    old && old.metadata.generation === next.metadata.generation ? [] : podTemplateWarnings(next.template, features, TEMPLATE),
}

const v1: Version<PodTemplate> = {
  group: '',
  name: 'v1',
  kind: 'PodTemplate',
  names: { plural: 'podtemplates', singular: 'podtemplate' },
  verbs: STANDARD_VERBS,
  schema: types.type('core.PodTemplate'),
  setDefaults: ({ template }) => defaultPodTemplate(template),
  setGatedDefaults: ({ template }, features) => defaultTemplateHostPorts(template, features),
  table: {
    columns: [
      nameColumn,
      column('Containers', 'Names of the containers in the template.'),
      column('Images', 'Images of the containers in the template.'),
      column('Pod Labels', 'Labels of the pod template.'),
    ],
    cells({ metadata, template }) {
      const containers = template.spec.containers ?? []
      return [
        metadata.name ?? '',
        containers.map(({ name }) => name).join(','),
        containers.map(({ image = '' }) => image).join(','),
        printLabels(template.metadata.labels),
      ]
    },
  },
}

/**
 * A pod template as an object of its own. No controller reads it.
 * Source of its rules: pkg/registry/core/podtemplate.
 */
export const podTemplateResource = defineResource<PodTemplate>({
  scope: 'Namespaced',
  versions: [v1],
  hub: v1,
  storage: { prefix: 'podtemplates', version: v1 },
  strategy,
})
