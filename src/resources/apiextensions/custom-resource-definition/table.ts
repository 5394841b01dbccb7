import type { CustomResourceDefinition } from '../../../api/apiextensions/v1.types.ts'
import type { TableDefinition } from '../../../catalog/definition.ts'
import { column, nameColumn } from '../../shared/columns.ts'
import { isConditionTrue } from './spec.ts'

/** Table of definitions since 1.37. */
export const definitionTable: TableDefinition<CustomResourceDefinition> = {
  columns: [
    nameColumn,
    column('Scope', 'Whether objects are in namespaces: Cluster or Namespaced.'),
    column('Versions', 'Served versions. That of stored objects is marked.'),
    column('Created At', 'Time when the definition was created, in RFC 3339 and UTC.', 0, 'date'),
    column('Group', 'API group.', 1),
    column('Kind', 'Kind of the objects.', 1),
    column('ShortNames', 'Short names of the resource.', 1),
    column('Established', 'Whether the kind is served.', 1, 'boolean'),
  ],
  cells: definition => {
    const { metadata, spec } = definition
    const versions = (spec.versions ?? []).filter(({ served }) => served).map(({ name, storage }) => `${name}${storage ? '(storage)' : ''}`)
    return [
      metadata.name ?? '',
      spec.scope,
      versions.sort().join(),
      metadata.creationTimestamp ?? null,
      spec.group,
      spec.names.kind,
      (spec.names.shortNames ?? []).join(),
      isConditionTrue(definition, 'Established'),
    ]
  },
}
