import { checkGet } from './check-get.ts'
import { checkList } from './check-list.ts'
import { checkWatch } from './check-watch.ts'
import { checkWrites } from './check-write.ts'
import type { Circumstances, Seen, SeenCollectionDelete, SeenWrite } from './seen.ts'
import type { StoreHistory } from './store-history.ts'

/**
 * Returns the contradictions between a history of the store and the responses to clients, one per line.
 * @param isOurs keys that only our clients write
 */
export function contradictions(
  history: StoreHistory,
  seen: readonly Seen[],
  isOurs: (key: string) => boolean,
  around: Circumstances,
): string[] {
  const writes: (SeenWrite | SeenCollectionDelete)[] = []
  const wrong: string[] = []
  for (const each of seen)
    switch (each.kind) {
      case 'get':
        wrong.push(...checkGet(history, each, around))
        break
      case 'list':
        wrong.push(...checkList(history, each, around))
        break
      case 'watch':
        wrong.push(...checkWatch(history, each, around))
        break
      case 'write':
      case 'deletecollection':
        writes.push(each)
    }
  wrong.push(...checkWrites(history, writes, isOurs, around))
  return wrong
}
