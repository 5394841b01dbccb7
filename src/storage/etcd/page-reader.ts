import { MessageBlocks } from '../../protocols/grpc/response-message.ts'
import type { PageReader } from '../backend.ts'
import type { EtcdConnection } from './connection.ts'
import { encodedPage } from './encoded-page.ts'
import { encodeRange } from './messages.ts'

/** Returns a reader of pages. A page that has been visited makes room for a later one. */
export function etcdPageReader(connection: Pick<EtcdConnection, 'call' | 'deadline'>): PageReader {
  const memory = new MessageBlocks()
  return async (query, signal) => {
    const response = await connection.call('/etcdserverpb.KV/Range', encodeRange(query), { signal, deadline: connection.deadline(), repeatable: true, memory })
    const page = await encodedPage(response, query.limit)
    return {
      ...page,
      async visit(take) {
        await page.visit(take)
        memory.give(response)
      },
    }
  }
}
