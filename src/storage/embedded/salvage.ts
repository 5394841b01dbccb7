import { linkSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode } from '../../lib/error-code.ts'
import { syncDirectory } from '../../lib/private-file.ts'
import { BackendError } from '../backend.ts'
import { checkInTurns, checkStore, type Damage } from './check-store.ts'
import { type ImportedValue, importValues } from './import.ts'
import { copyOf, decodeLatest, decodeRecord, PUT_RECORD, readNumber } from './layout.ts'

/** Number of names for damaged files. The first free one is used. */
const MOST_KEPT = 100

/** Result of a salvage. */
export interface Salvaged {
  readonly objects: number
  /** Path to which the damaged file was moved. */
  readonly kept: string
}

/**
 * Replaces the data file of a directory that this process holds with one that has the newest undamaged value of each
 * key, at its revisions; history counts as compacted. Keys with a damaged part are left out. The damaged file is kept
 * beside it.
 * @throws BackendError `corrupt` if the tables themselves cannot be found
 */
export async function salvage(dir: string, damages: readonly Damage[]): Promise<Salvaged> {
  if (damages.some(({ table, isOfSpace }) => table === undefined && isOfSpace !== true))
    throw new BackendError('corrupt', `the list of tables of the store in ${dir} is damaged: none of its objects can be served`)
  const { revisions, newest, deadlines } = await present(dir, damages)
  const fresh = join(dir, 'salvaged')
  rmSync(fresh, { recursive: true, force: true })
  const objects = await importValues(fresh, salvagedValues(dir, revisions, deadlines), newest)
  const kept = keepDamaged(dir)
  renameSync(join(fresh, 'data.mdb'), join(dir, 'data.mdb'))
  syncDirectory(dir)
  rmSync(fresh, { recursive: true, force: true })
  return { objects, kept }
}

interface Present {
  /** Revisions of the records with the newest value of a key. */
  readonly revisions: ReadonlySet<number>
  readonly newest: number
  /** Expiry times by revision, in milliseconds since 1970. */
  readonly deadlines: ReadonlyMap<number, number>
}

/**
 * Finds the present keys: in `latest`, and in the log if `latest` is damaged. A change in the log that is older than an
 * unreadable one may not be the newest of its key, and is left out.
 */
async function present(dir: string, damages: readonly Damage[]): Promise<Present> {
  const fromLog = damages.some(({ table }) => table === 'latest')
  /** The newest revision that cannot be read. */
  let unread = 0
  const known = new Set<string>()
  const revisions = new Set<number>()
  const others = new Map<string, { readonly revision: number; readonly live: boolean }>()
  const deadlines = new Map<number, number>()
  let newest = 1
  await checkInTurns(dir, {
    damage({ table, revisions }) {
      if (table === 'log') unread = Math.max(unread, revisions?.[1] ?? Number.POSITIVE_INFINITY)
    },
    row(table, id, value) {
      if (table === 'expiry') deadlines.set(readNumber(id, 8), readNumber(id, 0))
      else if (table === 'meta') {
        if (id.toString() === 'revision') newest = Math.max(newest, readNumber(value, 0))
      } else if (table === 'latest') {
        const { modRevision, live } = decodeLatest(value)
        if (live) revisions.add(modRevision)
        if (fromLog) known.add(id.toString('latin1'))
      } else if (table === 'log') {
        newest = Math.max(newest, readNumber(id, 0))
        if (!fromLog) return
        const { key, kind } = decodeRecord(value)
        const name = key.toString('latin1')
        if (!known.has(name)) others.set(name, { revision: readNumber(id, 0), live: kind === PUT_RECORD })
      }
    },
  })
  for (const { revision, live } of others.values()) if (live && revision > unread) revisions.add(revision)
  return { revisions, newest, deadlines }
}

/**
 * Reads the store once more, and yields the records of the revisions as the check passes them, with copies of their
 * bytes.
 */
function* salvagedValues(dir: string, revisions: ReadonlySet<number>, deadlines: ReadonlyMap<number, number>): Generator<ImportedValue> {
  let read: ImportedValue[] = []
  const check = checkStore(dir, {
    damage() {},
    row(table, id, value) {
      const modRevision = table === 'log' ? readNumber(id, 0) : 0
      if (!revisions.has(modRevision)) return
      const { key, createRevision, value: stored } = decodeRecord(value)
      read.push({ key: key.toString(), value: copyOf(stored), createRevision, modRevision, deadline: deadlines.get(modRevision) })
    },
  })
  while (check.next().done !== true) {
    yield* read
    read = []
  }
  yield* read
}

/**
 * Keeps the file under another name (a hard link) and returns that. Throws BackendError `corrupt` if there are
 * MOST_KEPT such files.
 */
function keepDamaged(dir: string): string {
  for (let n = 1; n <= MOST_KEPT; n++) {
    const kept = join(dir, `data.mdb.damaged${n === 1 ? '' : `-${n}`}`)
    try {
      linkSync(join(dir, 'data.mdb'), kept)
      return kept
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error
    }
  }
  throw new BackendError('corrupt', `${dir} has ${MOST_KEPT} damaged files: remove those that are no longer needed`)
}
