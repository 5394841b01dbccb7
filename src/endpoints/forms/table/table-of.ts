import type { KubeObject } from '../../../api/meta/object.ts'
import type { ServedResource } from '../../../catalog/catalog.ts'
import type { TableDefinition } from '../../../catalog/definition.ts'
import type { Transform } from '../../../codec/accept-header.ts'
import { badRequestError } from '../../../meta/status.ts'
import { copyIn } from '../../../registry/conversion/convert.ts'
import type { Scope } from '../../scope.ts'
import { DEFAULT_TABLE, type IncludeObject, type TableOptions } from './render-table.ts'

/** Returns the table of the resource, or of the subresource if it has another kind. */
export const tableOf = ({ served, subresource }: Scope): TableDefinition =>
  (subresource?.kind ? subresource.kind.table : versionTable(served)) ?? DEFAULT_TABLE

/** Returns the version's table, or that of the hub version over the converted object. */
function versionTable({ definition, version }: ServedResource): TableDefinition | undefined {
  const { hub } = definition
  if (version.table !== undefined || version === hub || hub.table === undefined) return version.table
  const { columns, cells, conditions } = hub.table
  return {
    columns,
    cells: (object, now) => cells(copyIn(definition, object, hub), now),
    ...(conditions && { conditions: (object: KubeObject) => conditions(copyIn(definition, object, hub)) }),
  }
}

/** Parses `includeObject`. Throws 400 if it is invalid. */
export function tableOptions(scope: Scope, { version, group }: Transform): TableOptions {
  const include = scope.exchange.search === '' ? '' : (scope.exchange.query.get('includeObject') ?? '')
  if (!isIncludeObject(include)) {
    const why = `includeObject: Invalid value: ${JSON.stringify(include)}: must be 'Metadata', 'Object', 'None', or empty`
    throw badRequestError(`Unable to convert to Table as requested: ${why}`)
  }
  return { includeObject: include === '' ? 'Metadata' : include, version, group, now: scope.env.clock.now() }
}

const isIncludeObject = (text: string): text is IncludeObject | '' =>
  text === '' || text === 'None' || text === 'Metadata' || text === 'Object'
