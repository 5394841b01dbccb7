import { MessageBlocks } from '../../protocols/grpc/response-message.ts'
import type { PageReader } from '../backend.ts'
import type { EtcdConnection } from './connection.ts'
import { encodedPage, type PageMemory } from './encoded-page.ts'
import { encodeRange } from './messages.ts'

/**
 * Size in bytes from which values may be kept in the memory of their page. A smaller page would keep many buffers,
 * where slabs need few.
 */
const KEEPABLE_BYTES = 1 << 20

/** Returns a reader of pages. A page that has been visited makes room for a later one, unless a value in it is kept. */
export function etcdPageReader(connection: Pick<EtcdConnection, 'call' | 'deadline'>): PageReader {
  const memory = new MessageBlocks()
  return async (query, signal) => {
    const response = await connection.call('/etcdserverpb.KV/Range', encodeRange(query), {
      signal,
      deadline: connection.deadline(),
      repeatable: true,
      memory,
    })
    const held: PageMemory = { bytes: response, isKeepable: response.length >= KEEPABLE_BYTES && memory.isLent(response), isKept: false }
    const page = await encodedPage(held, query.limit)
    return {
      ...page,
      async visit(take) {
        await page.visit(take)
        if (!held.isKept) memory.give(response)
      },
    }
  }
}
