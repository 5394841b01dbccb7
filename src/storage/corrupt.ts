import type { ReadFault } from './read-fault.ts'
import { StorageError } from './storage.ts'

/** Number of unreadable objects that a list reports. Beyond it the list only says that there are more. */
export const MOST_CORRUPT = 100

/** How reads and writes report objects that cannot be read. */
export interface CorruptReports {
  /**
   * Whether lists continue past an unreadable object to report all of them, up to MOST_CORRUPT. Otherwise they fail at
   * the first.
   */
  readonly listsAll: boolean
  get(fault: ReadFault): StorageError
  write(fault: ReadFault): StorageError
  /** Reports at least one fault. `more`: further faults were found beyond the limit. */
  list(faults: readonly [ReadFault, ...ReadFault[]], more: boolean): StorageError
  event(fault: ReadFault): StorageError
  /** Reports a deletion whose last state cannot be read, so that no event can carry it. */
  deletion(fault: ReadFault): StorageError
}

/**
 * Reports without unsafe deletion: the plain failure. As upstream, decoding faults have no reason in the Status, except
 * in a watch.
 */
export const plainReports: CorruptReports = {
  listsAll: false,
  get: fault => corruptError(fault, fault.text),
  write: fault => corruptError(fault, fault.text),
  list: ([fault]) =>
    corruptError(
      fault,
      fault.kind === 'untransformable' ? `unable to transform key ${JSON.stringify(fault.key)}: ${fault.text}` : fault.text,
    ),
  event: fault => corrupt(fault, fault.text),
  deletion: fault => corrupt(fault, fault.text),
}

/**
 * Reports for unsafe deletion (feature gate AllowUnsafeMalformedObjectDeletion): they name the objects, so that an
 * administrator can find and delete them.
 * @param root prefix of all keys (`/registry`). Reads of one object show the key without it, as upstream does
 * @param summarizes whether the message of a list has the first fault and the number of others, as since 1.37. A list
 * then says that there may be more once it reports MOST_CORRUPT
 */
export function namedReports(root: string, summarizes = false): CorruptReports {
  return {
    listsAll: true,
    get: fault => corrupt(fault, corruptObject(fault, fault.key.startsWith(`${root}/`) ? fault.key.slice(root.length) : fault.key)),
    write: fault => corruptError(fault, described(fault)),
    list: (faults, more) =>
      new StorageError('corrupt', summarizes ? summary(faults) : '', {
        key: faults[0].key,
        fault: faults[0],
        causes: [
          ...faults.map(fault => ({ reason: 'UnexpectedServerResponse', message: corruptObject(fault, fault.key), field: fault.key })),
          ...(more || (summarizes && faults.length >= MOST_CORRUPT)
            ? [{ reason: 'FieldValueTooMany', message: 'too many errors, the list is truncated' }]
            : []),
        ],
      }),
    event: fault => corrupt(fault, fault.kind === 'untransformable' ? described(fault) : fault.text),
    deletion: fault =>
      fault.kind === 'untransformable'
        ? new StorageError('corrupt', `saw a DELETED event, but object data is corrupt - ${described(fault)}`, {
            key: fault.key,
            fault,
            causes: [],
          })
        : corrupt(fault, fault.text),
  }
}

/** Returns the first fault, and how many others there are. */
function summary([first, ...others]: readonly [ReadFault, ...ReadFault[]]): string {
  const text = corruptObject(first, first.key)
  return others.length === 0 ? text : `${text} (and ${others.length} more)`
}

/**
 * Text of a fault. Upstream transforms a value before it knows its revision, which is why `untransformable` reports
 * revision 0.
 */
const described = ({ kind, text, revision }: ReadFault): string =>
  kind === 'untransformable'
    ? `data from the storage is not transformable revision=0: ${text}`
    : `object not decodable revision=${revision}: ${text}`

const corruptObject = (fault: ReadFault, shown: string): string =>
  `StorageError: corrupt object, Code: 7, Key: ${shown}, ResourceVersion: 0, AdditionalErrorMsg: ${described(fault)}`

const corrupt = (fault: ReadFault, message: string): StorageError => new StorageError('corrupt', message, { key: fault.key, fault })

const corruptError = (fault: ReadFault, message: string): StorageError =>
  new StorageError('corrupt', message, { key: fault.key, fault, unreasoned: fault.kind === 'undecodable' })

/** Returns the fault of an unreadable object; undefined for any other failure. */
export const readFaultOf = (error: unknown): ReadFault | undefined => (error instanceof StorageError ? error.fault : undefined)

/** Converts a failure to read an object with `report`. Returns any other error unchanged. */
export function reported(error: unknown, report: (fault: ReadFault) => StorageError): unknown {
  const fault = readFaultOf(error)
  return fault === undefined ? error : report(fault)
}
