import { ClusterSize } from '../../../src/cluster/controllers/nodettl/cluster-size.ts'

/** Functions of the tables, or the reason why a table has none. */
export const TABLES: Readonly<Record<string, ((given: never) => unknown) | string>> = {
  'node-ttl'({ event, nodesBefore, step }: { event: 'add' | 'delete'; nodesBefore: number; step: number }) {
    const size = new ClusterSize(nodesBefore, step)
    if (event === 'add') size.added()
    else size.deleted()
    return size.seconds
  },
}
