import type { TableDefinition } from '../../../catalog/definition.ts'
import { age } from '../../../meta/age.ts'
import { ownMember } from '../../../meta/equal.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'

export const resourceQuotaTable: TableDefinition = {
  columns: [nameColumn, column('Request', 'Used and hard amounts of everything but limits.'), column('Limit', 'Used and hard amounts of limits.'), ageColumn],
  cells({ metadata, status }, now) {
    const hard: Record<string, string> = status?.hard ?? {}
    const requests: string[] = []
    const limits: string[] = []
    for (const name of Object.keys(hard).sort()) {
      const column = name.startsWith('limits.') ? limits : requests
      column.push(`${name}: ${ownMember<string>(status?.used, name) ?? '0'}/${hard[name]}`)
    }
    return [metadata.name ?? '', requests.join(', '), limits.join(', '), age(metadata.creationTimestamp, now)]
  },
}
