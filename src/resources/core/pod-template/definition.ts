import type { ResourceDefinition, Strategy, Version } from '../../../catalog/definition.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { printLabels } from '../../../meta/label-selector.ts'
import { nameIsDnsSubdomain } from '../../../meta/names.ts'
import { column, nameColumn } from '../../shared/columns.ts'
import { STANDARD_VERBS } from '../../shared/strategy-parts.ts'
import { types } from '../../types.ts'
import type { ApiStruct } from '../checks.ts'
import { defaultPodTemplate } from '../pod-spec/defaults.ts'
import { dropDisabledTemplateFields } from '../pod-spec/drop.ts'
import { podTemplateOptions } from '../pod-spec/options.ts'
import { validatePodTemplateSpec } from '../pod-spec/validation.ts'
import { podTemplateWarnings } from '../pod-spec/warnings.ts'
import { bumpTemplateGeneration } from './generation.ts'

const TEMPLATE = fieldPath('template')

const strategy: Strategy = {
  validateName: nameIsDnsSubdomain,
  returnsDeleted: true,
  prepare(next, old) {
    dropDisabledTemplateFields(next.template, old?.template)
    bumpTemplateGeneration(next, old)
  },
  validate: (next, old) => validatePodTemplateSpec(next.template, TEMPLATE, podTemplateOptions(old?.template)),
  warnings: (next, old) => (old && old.metadata.generation === next.metadata.generation ? [] : podTemplateWarnings(next.template, old?.template, TEMPLATE)),
}

const v1: Version = {
  group: '',
  name: 'v1',
  kind: 'PodTemplate',
  names: { plural: 'podtemplates', singular: 'podtemplate' },
  verbs: STANDARD_VERBS,
  schema: types.type('core.PodTemplate'),
  setDefaults: ({ template }) => {
    if (template) defaultPodTemplate(template)
  },
  table: {
    columns: [
      nameColumn,
      column('Containers', 'Names of the containers of the template.'),
      column('Images', 'Images of the containers of the template.'),
      column('Pod Labels', 'Labels that pods of the template get.'),
    ],
    cells({ metadata, template }) {
      const containers: ApiStruct[] = template?.spec?.containers ?? []
      return [
        metadata.name ?? '',
        containers.map(({ name }) => name).join(','),
        containers.map(({ image = '' }) => image).join(','),
        printLabels(template?.metadata?.labels),
      ]
    },
  },
}

export const podTemplateResource: ResourceDefinition = {
  scope: 'Namespaced',
  versions: [v1],
  home: v1,
  storage: { prefix: 'podtemplates', version: v1 },
  strategy,
}
