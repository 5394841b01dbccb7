import type { ResourceDefinition, TableDefinition, Version } from '../../../catalog/definition.ts'
import { age } from '../../../meta/age.ts'
import { prepareGeneration } from '../../networking/spec-generation.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { setTimeAdded } from '../taints.ts'
import { resourceVersion } from '../version.ts'
import { validateDeviceTaintRule } from './validation.ts'

const table: TableDefinition = {
  columns: [
    nameColumn,
    column('Key', 'Name of the taint.'),
    column('Value', 'Value of the taint.'),
    column('Effect', 'What the taint does.'),
    column('TimeAdded', 'Time since the taint was added.'),
    ageColumn,
  ],
  cells({ metadata, spec }, now) {
    const { key = '', value = '', effect = '', timeAdded } = spec?.taint ?? {}
    return [metadata.name ?? '', key, value, effect, timeAdded ? age(timeAdded, now) : '', age(metadata.creationTimestamp, now)]
  },
}

const v1alpha3: Version = {
  ...resourceVersion('DeviceTaintRule', { plural: 'devicetaintrules', singular: 'devicetaintrule' }, 'v1alpha3'),
  table,
}

export const deviceTaintRuleResource: ResourceDefinition = {
  scope: 'Cluster',
  versions: [v1alpha3],
  home: v1alpha3,
  storage: { prefix: 'devicetaintrules', version: v1alpha3 },
  strategy: {
    returnsDeleted: true,
    prepare(next, old, { now }) {
      setTimeAdded(next.spec?.taint, now)
      prepareGeneration(next, old)
    },
    validate: validateDeviceTaintRule,
  },
}
