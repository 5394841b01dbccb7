import { isStatusError } from '../../meta/status.ts'
import { NAMESPACES } from '../../resources/kinds.ts'
import type { MemoryTables } from '../../storage/embedded/memory-tables.ts'
import { key } from '../../storage/revision.ts'
import type { Fork } from '../fork/open-fork.ts'

/** Creates the namespaces of objects of a dump that lacks them: the cluster has them, though they were not read. */
export async function createDumpedNamespaces({ plane, settled }: Fork, tables: MemoryTables): Promise<void> {
  const names = new Set<string>()
  for (const bytes of tables.latest.getKeys({})) {
    const namespace = plane.stored.place(key(bytes.toString()))?.namespace ?? ''
    if (namespace !== '') names.add(namespace)
  }
  const access = plane.registry.access()
  for (const name of names)
    try {
      await access.create(NAMESPACES, '', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
    } catch (error) {
      if (!isStatusError(error, 'AlreadyExists')) throw error
    }
  await settled()
}
