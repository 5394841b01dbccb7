import type { Key } from '../revision.ts'
import { type Opened, TransformError, type Transformer } from './transformer.ts'

/** A transformer, and the prefix of the values that it has written. */
export interface Prefixed {
  /** If it is empty, any value may be the transformer's. A value that it rejects is passed to the next one. */
  readonly prefix: string
  readonly transformer: Transformer
}

/** Values of the metrics' label `transformation_type`. */
export type Direction = 'to_storage' | 'from_storage'

/**
 * Called after each transformation. `prefix` is `identity` for a value read without one, and `unknown` if none matches.
 */
export type TransformObserver = (direction: Direction, prefix: string, seconds: number, failed: boolean) => void

/**
 * Writes with the first transformer, and reads with the one whose prefix the value has. A value that another than the
 * first reads is stale. Transformers may share a prefix while keys are being replaced, so a failure is final only if no
 * other has the prefix.
 * @param noMatch message for values with an unknown prefix
 */
export function prefixed(entries: readonly [Prefixed, ...Prefixed[]], noMatch: string, observer: TransformObserver): Transformer {
  const withBytes = ({ prefix, transformer }: Prefixed) => ({ prefix, bytes: Buffer.from(prefix), transformer })
  const [first, ...others] = entries
  const newest = withBytes(first)
  const known = [newest, ...others.map(withBytes)]
  return {
    toStorage(value, key) {
      const begun = performance.now()
      let sealed: Buffer | undefined
      try {
        sealed = newest.transformer.toStorage(value, key)
      } finally {
        observer('to_storage', newest.prefix, since(begun), sealed === undefined)
      }
      return newest.bytes.length === 0 ? sealed : Buffer.concat([newest.bytes, sealed])
    },
    fromStorage(stored, key) {
      const begun = performance.now()
      const faults: TransformError[] = []
      for (const [i, { prefix, bytes, transformer }] of known.entries()) {
        if (stored.length < bytes.length || bytes.compare(stored, 0, bytes.length) !== 0) continue
        const result = attempt(transformer, stored.subarray(bytes.length), key)
        if (!(result instanceof TransformError)) {
          observer('from_storage', prefix === '' ? 'identity' : prefix, since(begun), false)
          return { value: result.value, stale: result.stale || i > 0 }
        }
        if (prefix === '') continue
        observer('from_storage', prefix, since(begun), true)
        faults.push(result)
      }
      if (faults.length > 0)
        throw new TransformError(
          together(faults.map(({ message }) => message)),
          faults.some(({ mayPass }) => mayPass),
        )
      observer('from_storage', 'unknown', since(begun), true)
      throw new TransformError(noMatch)
    },
  }
}

/**
 * Returns the error of a transformer instead of throwing it: another key with the same prefix may fit. Other errors are
 * thrown.
 */
function attempt(transformer: Transformer, stored: Buffer, key: Key): Opened | TransformError {
  try {
    return transformer.fromStorage(stored, key)
  } catch (error) {
    if (error instanceof TransformError) return error
    throw error
  }
}

const since = (begun: number): number => (performance.now() - begun) / 1000

/** Joins messages as apimachinery prints several errors: each text once. */
function together(texts: readonly string[]): string {
  const each = new Set(texts)
  const joined = [...each].join(', ')
  return each.size === 1 ? joined : `[${joined}]`
}
