import type { ReadFault } from './read-fault.ts'
import { StorageError } from './storage.ts'

/** A list reports so many objects that can't be read; of more, only that there are more. */
export const MOST_CORRUPT = 100

/** How reads and writes report objects that can't be read. */
export interface CorruptReports {
  /** Lists go on to find all of them, up to MOST_CORRUPT. Otherwise they end at the first. */
  readonly listsAll: boolean
  get(fault: ReadFault): StorageError
  write(fault: ReadFault): StorageError
  /** At least one; `more`: there are others. */
  list(faults: readonly [ReadFault, ...ReadFault[]], more: boolean): StorageError
  event(fault: ReadFault): StorageError
  /** What was deleted can't be read, so no event can show it. */
  deletion(fault: ReadFault): StorageError
}

/** Without unsafe deletion: what went wrong, as it is. Upstream gives faults of decoding no reason, but in a watch. */
export const plainReports: CorruptReports = {
  listsAll: false,
  get: fault => failureOf(fault, fault.text),
  write: fault => failureOf(fault, fault.text),
  list: ([fault]) => failureOf(fault, fault.kind === 'untransformable' ? `unable to transform key ${JSON.stringify(fault.key)}: ${fault.text}` : fault.text),
  event: fault => corrupt(fault, fault.text),
  deletion: fault => corrupt(fault, fault.text),
}

/**
 * With unsafe deletion (the gate AllowUnsafeMalformedObjectDeletion) the objects are named, so that they can be found and deleted.
 * @param root of all keys (`/registry`): reads of one object show keys without it, as upstream does
 */
export function namedReports(root: string): CorruptReports {
  return {
    listsAll: true,
    get: fault => corrupt(fault, corruptObject(fault, fault.key.startsWith(`${root}/`) ? fault.key.slice(root.length) : fault.key)),
    write: fault => failureOf(fault, described(fault)),
    list: (faults, more) =>
      new StorageError('corrupt', 'objects cannot be read', {
        key: faults[0].key,
        fault: faults[0],
        causes: [
          ...faults.map(fault => ({ reason: 'UnexpectedServerResponse', message: corruptObject(fault, fault.key), field: fault.key })),
          ...(more ? [{ reason: 'FieldValueTooMany', message: 'too many errors, the list is truncated' }] : []),
        ],
      }),
    event: fault => corrupt(fault, fault.kind === 'untransformable' ? described(fault) : fault.text),
    deletion: fault =>
      fault.kind === 'untransformable'
        ? new StorageError('corrupt', `saw a DELETED event, but object data is corrupt - ${described(fault)}`, { key: fault.key, fault, causes: [] })
        : corrupt(fault, fault.text),
  }
}

/** Upstream transforms before it knows the revision. */
const described = ({ kind, text, revision }: ReadFault): string =>
  kind === 'untransformable' ? `data from the storage is not transformable revision=0: ${text}` : `object not decodable revision=${revision}: ${text}`

const corruptObject = (fault: ReadFault, shown: string): string =>
  `StorageError: corrupt object, Code: 7, Key: ${shown}, ResourceVersion: 0, AdditionalErrorMsg: ${described(fault)}`

const corrupt = (fault: ReadFault, message: string): StorageError => new StorageError('corrupt', message, { key: fault.key, fault })

const failureOf = (fault: ReadFault, message: string): StorageError =>
  new StorageError('corrupt', message, { key: fault.key, fault, unreasoned: fault.kind === 'undecodable' })

/** The fault of an object that can't be read; undefined for any other failure. */
export const faultOf = (error: unknown): ReadFault | undefined => (error instanceof StorageError ? error.fault : undefined)

/** The failure as it is reported; any other passes through. */
export function reported(error: unknown, report: (fault: ReadFault) => StorageError): unknown {
  const fault = faultOf(error)
  return fault === undefined ? error : report(fault)
}
