import type { ListMeta } from '../../meta/object.ts'
import type { ListResult } from '../../registry/read.ts'

export function listMeta(result: ListResult): ListMeta {
  return {
    resourceVersion: result.resourceVersion,
    ...(result.continue !== '' && { continue: result.continue }),
    ...(result.remainingItemCount !== undefined && { remainingItemCount: result.remainingItemCount }),
  }
}
