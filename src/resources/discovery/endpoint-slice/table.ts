import type { TableDefinition } from '../../../catalog/definition.ts'
import { age } from '../../../meta/age.ts'
import type { ApiStruct } from '../../core/checks.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'

const SHOWN = 3

/** The first three, and how many more there are. */
function shownOf(all: readonly string[]): string {
  const shown = all.slice(0, SHOWN).join(',')
  if (all.length > SHOWN) return `${shown} + ${all.length - SHOWN} more...`
  return shown || '<unset>'
}

const portText = ({ port, name }: ApiStruct): string => String(port ?? name ?? '*')

export const endpointSliceTable: TableDefinition = {
  columns: [
    nameColumn,
    column('AddressType', 'What the addresses are.'),
    column('Ports', 'Ports of every address.'),
    column('Endpoints', 'The addresses.'),
    ageColumn,
  ],
  cells: ({ metadata, addressType, ports, endpoints }, now) => [
    metadata.name ?? '',
    addressType ?? '',
    shownOf(((ports ?? []) as ApiStruct[]).map(portText)),
    shownOf(((endpoints ?? []) as ApiStruct[]).flatMap(({ addresses }): string[] => addresses ?? [])),
    age(metadata.creationTimestamp, now),
  ],
}
