import { open } from 'lmdb'
import { storedObject } from './journal.ts'
import type { StoreHistory } from './store-history.ts'

const PUT = 1
/** The mark of a checksum and the checksum, which stand before each change (`row-checksum.ts`). */
const CHECKSUM_BYTES = 5

/**
 * Reads all changes of an embedded store from its files, once no server has them open. Nothing may be compacted.
 * `src/storage/embedded/layout.ts` describes the layout.
 */
export async function readEmbeddedJournal(directory: string, prefix: string, history: StoreHistory): Promise<void> {
  const binary = { encoding: 'binary', keyEncoding: 'binary' } as const
  const root = open<Buffer, Buffer>({ path: directory, maxDbs: 8, readOnly: true, ...binary })
  const log = root.openDB<Buffer, Buffer>({ name: 'log', ...binary })
  for (const { key: at, value } of log.getRange()) {
    const record = value.subarray(CHECKSUM_BYTES, value.length)
    const revision = Number(at.readBigUInt64BE(0))
    const keyEnd = 19 + record.readUInt16BE(17)
    const key = record.toString('utf8', 19, keyEnd)
    if (key.startsWith(prefix))
      history.add(key.slice(prefix.length), revision, record[0] === PUT ? storedObject(record.subarray(keyEnd)) : undefined)
    history.revision = Math.max(history.revision, revision)
  }
  await root.close()
}
