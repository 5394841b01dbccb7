import type { KubeObject } from '../../../api/meta/object.ts'
import type { Transform } from '../../../codec/accept-header.ts'
import type { Scope } from '../../scope.ts'
import { listMeta, typeMetaOf } from '../meta-v1.ts'
import type { JsonText, TextView } from '../text/text-form.ts'
import { renderTable } from './render-table.ts'
import { tableFraming } from './table-framing.ts'
import { tableOf, tableOptions } from './table-of.ts'

/** View of objects as Tables (meta.k8s.io). */
export const textTable = (as: Transform): TextView => ({
  stored: (scope, stored) => renderTable(tableOf(scope), { resourceVersion: String(stored.revision) }, [stored], tableOptions(scope, as)),
  object: (scope, _schema, object) => oneRow(scope, as, object),
  list: (scope, result) => renderTable(tableOf(scope), listMeta(result), result.items, tableOptions(scope, as)),
  plainList(scope, items) {
    const { kind, apiVersion } = typeMetaOf(scope.served.version)
    const rows = items.map(item => ({ object: () => ({ ...item, kind, apiVersion }) }))
    return renderTable(tableOf(scope), {}, rows, tableOptions(scope, as))
  },
  withoutInitialEnd: true,
  framing: scope => tableFraming(scope, as),
})

/** Returns the Table of one object, for a get. */
function oneRow(scope: Scope, as: Transform, object: KubeObject): Promise<JsonText> {
  const { resourceVersion } = object.metadata
  const meta = resourceVersion === undefined ? {} : { resourceVersion }
  return renderTable(tableOf(scope), meta, [{ object: () => object }], tableOptions(scope, as))
}
