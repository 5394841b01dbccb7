import { runInTurns, type Steps } from '../../lib/steps.ts'
import { nextTurn, turnIsSpent } from '../../lib/turn.ts'
import type { EncodedPage, HeldValue, VisitedItem } from '../backend.ts'
import { type Key, key, NO_REVISION, type Revision } from '../revision.ts'
import { readKeyValue } from './messages.ts'
import { WireReader } from './wire.ts'

/** Items between looks at the clock. */
const ITEMS_PER_LOOK = 16

/** Memory of a page. */
export interface PageMemory {
  /** The response. */
  readonly bytes: Buffer
  /** Whether visitors may keep values in it. */
  readonly isKeepable: boolean
  /** Whether one has. */
  isKept: boolean
}

/**
 * Returns the page of a RangeResponse. Its items are skipped in turns, however many they are, and decoded when they are
 * visited. `limit` is the number of keys that were requested, 0 for any. Rejects with a RangeError if there are more,
 * and with a ProtobufError if the bytes are not a response.
 */
export const encodedPage = (memory: PageMemory, limit = 0): Promise<EncodedPage> =>
  runInTurns(pageInSteps(memory, limit || Number.POSITIVE_INFINITY))

/**
 * Reads header, `more` and `count`, and skips over the items. Only the last item's key is decoded, because the next
 * page begins after it.
 */
function* pageInSteps(memory: PageMemory, most: number): Steps<EncodedPage> {
  const { bytes } = memory
  const reader = new WireReader(bytes)
  let revision = NO_REVISION
  let endsAnywhere = false
  let more = false
  let count = 0
  let length = 0
  /** Offset of the last item's length. */
  let last = 0
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 2) {
      if (++length > most) throw new RangeError('there are more keys than were requested')
      last = reader.pos
      reader.skip()
    } else if (field === 1) ({ revision, isOfCluster: endsAnywhere } = readPageHeader(reader.message()))
    else if (field === 3) more = reader.number() !== 0
    else if (field === 4) count = reader.number()
    else reader.skip()
    if (reader.endsPart()) yield
  }
  const lastKey: Key | undefined = length === 0 ? undefined : readKeyValue(new WireReader(bytes, last).message()).key
  return { revision, more, count, length, bytes: bytes.length, last: lastKey, endsAnywhere, visit: take => visitItems(memory, take) }
}

/**
 * Reads the header of a response. Those of kine name no cluster. kine takes the end of a range for that of a prefix:
 * list.go of its pkg/server.
 */
function readPageHeader(reader: WireReader): { readonly revision: Revision; readonly isOfCluster: boolean } {
  let revision = NO_REVISION
  let isOfCluster = false
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    // cluster_id, which is omitted if it is 0.
    isOfCluster ||= field === 1
    if (field === 3) revision = reader.revision()
    else reader.skip()
  }
  return { revision, isOfCluster }
}

/** Decodes the items in order and passes each to `take`, over several turns if the page is large. */
async function visitItems(memory: PageMemory, take: (item: VisitedItem) => void): Promise<void> {
  const reader = new WireReader(memory.bytes)
  let left = ITEMS_PER_LOOK
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    reader.endsPart()
    if (field !== 2) {
      reader.skip()
      continue
    }
    take(new PageItem(memory, reader.message()))
    if (--left > 0) continue
    left = ITEMS_PER_LOOK
    if (turnIsSpent()) await nextTurn()
  }
}

/**
 * An item whose value is viewed only if it is needed. All of the item has been read, so the bytes before the value are
 * free.
 */
class PageItem implements VisitedItem, HeldValue {
  readonly key: Key
  readonly createRevision: Revision
  readonly modRevision: Revision
  /** Offsets of the value in the memory of the page. */
  readonly start: number
  readonly end: number
  /** Bytes before the value that may be overwritten. */
  readonly room: number
  readonly #page: PageMemory

  /** Reads a mvccpb.KeyValue. Version and lease are skipped. */
  constructor(page: PageMemory, reader: WireReader) {
    const begin = reader.pos
    let name = ''
    let createRevision = NO_REVISION
    let modRevision = NO_REVISION
    let start = begin
    let end = begin
    for (let field = reader.next(); field !== 0; field = reader.next()) {
      if (field === 1) name = reader.text()
      else if (field === 2) createRevision = reader.revision()
      else if (field === 3) modRevision = reader.revision()
      else if (field === 5) {
        end = reader.end()
        start = reader.pos
        reader.pos = end
      } else reader.skip()
    }
    this.key = key(name)
    this.createRevision = createRevision
    this.modRevision = modRevision
    this.start = start
    this.end = end
    this.room = start - begin
    this.#page = page
  }

  get value(): Buffer {
    return this.#page.bytes.subarray(this.start, this.end)
  }

  get memory(): Buffer {
    return this.#page.bytes
  }

  get held(): HeldValue | undefined {
    return this.#page.isKeepable ? this : undefined
  }

  /** Keeps the page's memory from being reused for another page. */
  keep(): void {
    this.#page.isKept = true
  }
}
