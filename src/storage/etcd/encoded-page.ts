import { runInTurns, type Steps } from '../../lib/steps.ts'
import { nextTurn, turnIsSpent } from '../../lib/turn.ts'
import type { EncodedPage, KeyValue } from '../backend.ts'
import { type Key, NO_REVISION } from '../revision.ts'
import { readHeader, readKeyValue } from './messages.ts'
import { WireReader } from './wire.ts'

/** Items between looks at the clock. */
const ITEMS_PER_LOOK = 16

/**
 * Returns the page of a RangeResponse. Its items are skipped in turns, however many they are, and decoded when they are visited. `limit` is the number of keys that were requested, 0 for
 * any. Rejects with a RangeError if there are more, and with a ProtobufError if the bytes are not a response.
 */
export const encodedPage = (response: Buffer, limit = 0): Promise<EncodedPage> => runInTurns(pageInSteps(response, limit || Number.POSITIVE_INFINITY))

function* pageInSteps(response: Buffer, most: number): Steps<EncodedPage> {
  const reader = new WireReader(response)
  let revision = NO_REVISION
  let more = false
  let count = 0
  let length = 0
  let last: WireReader | undefined
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) revision = readHeader(reader.message())
    else if (field === 2) {
      if (++length > most) throw new RangeError('there are more keys than were requested')
      last = reader.message()
    } else if (field === 3) more = reader.number() !== 0
    else if (field === 4) count = reader.number()
    else reader.skip()
    if (reader.endsPart()) yield
  }
  const lastKey: Key | undefined = last && readKeyValue(last).key
  return { revision, more, count, length, bytes: response.length, last: lastKey, visit: take => visitItems(response, take) }
}

async function visitItems(response: Buffer, take: (item: KeyValue) => void): Promise<void> {
  const reader = new WireReader(response)
  let left = ITEMS_PER_LOOK
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    reader.endsPart()
    if (field !== 2) {
      reader.skip()
      continue
    }
    take(readKeyValue(reader.message()))
    if (--left > 0) continue
    left = ITEMS_PER_LOOK
    if (turnIsSpent()) await nextTurn()
  }
}
