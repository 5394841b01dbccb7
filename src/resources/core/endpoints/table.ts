import type { TableDefinition } from '../../../catalog/definition.ts'
import { age } from '../../../meta/age.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'

const SHOWN = 3

/** The first three addresses, each with each port, and how many more there are. */
function endpointsCell(object: KubeObject): string {
  if ((object.subsets ?? []).length === 0) return '<none>'
  const shown: string[] = []
  let count = 0
  for (const { addresses = [], ports = [] } of object.subsets) {
    for (const port of ports.length === 0 ? [undefined] : ports) {
      count += addresses.length
      for (const { ip = '' } of addresses) {
        if (shown.length === SHOWN) break
        shown.push(port === undefined ? ip : `${ip.includes(':') ? `[${ip}]` : ip}:${port.port ?? 0}`)
      }
    }
  }
  return count > SHOWN ? `${shown.join(',')} + ${count - SHOWN} more...` : shown.join(',')
}

export const endpointsTable: TableDefinition = {
  columns: [nameColumn, column('Endpoints', 'Addresses and ports that are ready.'), ageColumn],
  cells: (object, now) => [object.metadata.name ?? '', endpointsCell(object), age(object.metadata.creationTimestamp, now)],
}
