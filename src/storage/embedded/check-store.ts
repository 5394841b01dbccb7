import { closeSync, fstatSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { onOneLine } from '../../lib/printable.ts'
import { nextTurn, turnIsSpent } from '../../lib/turn.ts'
import { rowName } from './damage.ts'
import { checkFile } from './data-file/check-file.ts'
import type { TreeFault } from './data-file/check-tree.ts'
import { decodeRecord, readNumber } from './layout.ts'
import { CHECKED_WORD, type TableName, valueStart } from './row-checksum.ts'

/** Limit on rows without a checksum that are remembered until it is known whether rows of this store have one. */
const MOST_PLAIN = 1000

/** Receives the rows and damages that a check finds. */
export interface StoreVisitor {
  /** Called for each undamaged row. Both buffers are views that are valid until the call returns. */
  row?(table: TableName, key: Buffer, value: Buffer): void
  damage(damage: Damage): void
}

/** A damaged part of the store. */
export interface Damage {
  /** One line that names the key, or the range of rows. */
  readonly line: string
  /** Undefined if the damage is outside of the store's tables: then their rows may be incomplete. */
  readonly table: TableName | undefined
  /** Whether the damage concerns the size of the file, or its list of free pages. Such damage alone loses no rows. */
  readonly isOfSpace?: boolean
  /** First and last revision of the records that cannot be read. */
  readonly revisions?: readonly [number, number]
}

/** Number of rows checked, and of those without a checksum. */
export interface StoreCheck {
  readonly rows: number
  readonly unchecked: number
}

const TABLE_NAMES: readonly string[] = ['log', 'latest', 'deleted', 'expiry', 'meta'] satisfies TableName[]
const isTable = (name: string): name is TableName => TABLE_NAMES.includes(name)

/**
 * Checks the whole data file of a store that no process has open, without LMDB: pages, rows and their checksums. Yields
 * at intervals, and returns when everything is read.
 */
export function* checkStore(dir: string, visitor: StoreVisitor): Generator<void, StoreCheck> {
  const plain: Damage[] = []
  let rows = 0
  let unchecked = 0
  let isChecked = false
  const descriptor = openSync(join(dir, 'data.mdb'), 'r')
  try {
    yield* checkFile(descriptor, fstatSync(descriptor).size, {
      row(table, key, stored) {
        rows++
        if (!isTable(table)) return visitor.damage({ line: `the table ${JSON.stringify(table)} is unknown`, table: undefined })
        const start = valueStart(table, key, stored)
        const isPlain = start === stored.start
        if (start === undefined || (isPlain && !hasShape(table, key.view(), stored.view())))
          return visitor.damage(rowDamage(table, key.view(), `${rowName(table, key.view(), stored.view())} does not match its checksum`))
        if (table === 'meta' && key.view().equals(CHECKED_WORD)) isChecked = true
        if (isPlain && table !== 'meta') {
          unchecked++
          if (plain.length < MOST_PLAIN)
            plain.push(rowDamage(table, key.view(), `${rowName(table, key.view(), stored.view())} has no checksum`))
        }
        visitor.row?.(table, key.view(), stored.bytes.subarray(start, stored.end))
      },
      fault: (table, fault) => visitor.damage(faultDamage(table, fault)),
      headFault: why => visitor.damage({ line: why, table: undefined }),
      spaceFault: why => visitor.damage({ line: why, table: undefined, isOfSpace: true }),
    })
  } finally {
    closeSync(descriptor)
  }
  if (isChecked) for (const damage of plain) visitor.damage(damage)
  return { rows, unchecked: isChecked ? 0 : unchecked }
}

/** Runs `checkStore` in turns, so that signals and timers are served meanwhile. */
export async function checkInTurns(dir: string, visitor: StoreVisitor): Promise<StoreCheck> {
  const check = checkStore(dir, visitor)
  for (;;) {
    const { done, value } = check.next()
    if (done === true) return value
    if (turnIsSpent()) await nextTurn()
  }
}

/** Whether a row has a valid length. For rows without a checksum, which would detect a wrong one. */
function hasShape(table: TableName, id: Buffer, value: Buffer): boolean {
  switch (table) {
    case 'log':
      return id.length === 8 && value.length >= 19 && decodedLength(value) <= value.length
    case 'expiry':
      return id.length === 16 && value.length > 0
    case 'meta':
      return value.length === 8
    default:
      return value.length === 17
  }
}

function decodedLength(value: Buffer): number {
  try {
    return value.length - decodeRecord(value).value.length
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

/** Creates the damage of one row. */
const rowDamage = (table: TableName, key: Buffer, line: string): Damage => ({
  line,
  table,
  ...(table === 'log' && { revisions: [revisionAt(key), revisionAt(key)] }),
})

const revisionAt = (id: Buffer): number => (id.length < 8 ? 0 : readNumber(id, id.length - 8))

/**
 * Describes a fault of a tree by the rows that are lost: one row, or those between the last readable key before it and
 * the first one after it.
 */
function faultDamage(name: string | undefined, { page, why, after, before, row }: TreeFault): Damage {
  const reason = page === undefined ? why : `page ${page}: ${why}`
  if (name === undefined) return { line: reason, table: undefined }
  const table = isTable(name) ? name : undefined
  const [first, last] = [row ?? after, row ?? before]
  if (table === 'log') {
    const revisions: [number, number] = row
      ? [revisionAt(row), revisionAt(row)]
      : [after ? revisionAt(after) : 0, before ? revisionAt(before) : Number.MAX_SAFE_INTEGER]
    return {
      line: `revisions from ${revisions[0]} to ${before || row ? revisions[1] : 'the newest'} cannot be read: ${reason}`,
      table,
      revisions,
    }
  }
  const named = (key: Buffer): string => (table === 'expiry' ? `revision ${revisionAt(key)}` : onOneLine(key.toString()))
  return {
    line: `rows of "${onOneLine(name)}" from ${first ? named(first) : 'the first'} to ${last ? named(last) : 'the last'} cannot be read: ${reason}`,
    table,
  }
}
