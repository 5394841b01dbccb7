import { startInTurns } from '../../lib/steps.ts'
import { nextTurn, turnIsSpent } from '../../lib/turn.ts'
import { abortedError, translated } from '../errors.ts'
import type { Key } from '../revision.ts'
import type { Decide, ResourceCodec, StoredObject, WriteDecision, Written } from '../storage.ts'
import { StorageError } from '../storage.ts'
import { Stored } from '../stored-object.ts'
import type { StoreSource } from './source.ts'

/**
 * The update loop of Storage.write. A state is certain if it was read from the store during this call. A decision on an assumed state is final only if its guarded write succeeds;
 * otherwise the state is read and decided on again.
 */
export async function guardedWrite<T>(
  { backend, codec }: Pick<StoreSource, 'backend' | 'codec'>,
  key: Key,
  decide: Decide<T>,
  signal: AbortSignal,
  assume: StoredObject | 'absent' | undefined,
): Promise<Written<T>> {
  const read = async (): Promise<StoredObject | undefined> => {
    const { item } = await translated(backend.get(key, signal), { key })
    return item && Stored.readInTurns(key, item.modRevision, codec, item.value)
  }
  let certain = assume === undefined
  let now = assume === undefined ? await read() : assume === 'absent' ? undefined : assume
  /** Reads the store if the state is assumed. True if the store has the assumed state; otherwise `now` is the store's state. */
  const confirm = async (): Promise<boolean> => {
    if (certain) return true
    const fresh = await read()
    certain = true
    const same = fresh?.revision === now?.revision
    now = fresh
    return same
  }

  for (;;) {
    if (signal.aborted) throw abortedError(signal)
    let decision: WriteDecision<T>
    try {
      decision = await decide(now)
    } catch (error) {
      if (await confirm()) throw error
      continue
    }
    const { change, result } = decision
    if (!('put' in change)) {
      const old = now
      if (old === undefined) {
        if (await confirm()) throw new StorageError('not found', `${key} does not exist`, { key })
        continue
      }
      if ('keep' in change) {
        if (await confirm()) return { object: now ?? old, outcome: 'unchanged', result }
        continue
      }
      const deleted = await translated(backend.write({ key, expected: old.revision }, signal), { key })
      if (deleted.ok) return { object: new Stored(key, deleted.revision, codec, old.json()).at(deleted.revision), outcome: 'deleted', result }
      now = deleted.current && (await Stored.readInTurns(key, deleted.current.modRevision, codec, deleted.current.value))
      certain = true
      continue
    }
    const value = await startInTurns(codec.encodeInSteps(change.put))
    const ready = codec.prepareJson(value)
    if (ready) await ready
    if (now !== undefined && isStored(codec, now, value)) {
      if (!(await confirm())) continue
      // Same revision. The transformer may call the bytes stale by now, because encryption keys may have changed.
      if (isStored(codec, now, value)) return { object: now, outcome: 'unchanged', result }
    }
    const held = codec.toStorage(value, key)
    const put = await translated(
      backend.write({ key, expected: now?.revision ?? 0, value: held, ...(change.ttlSeconds !== undefined && { ttlSeconds: change.ttlSeconds }) }, signal),
      { key },
    )
    // All writes of one commit resolve together.
    if (turnIsSpent()) await nextTurn()
    if (put.ok) {
      const object = new Stored(key, put.revision, codec, codec.json(value, put.revision))
      return { object, outcome: now === undefined ? 'created' : 'updated', result }
    }
    now = put.current && (await Stored.readInTurns(key, put.current.modRevision, codec, put.current.value))
    certain = true
  }
}

const OPEN_BRACE = 0x7b

/** Reports whether writing the bytes would change nothing. */
function isStored(codec: ResourceCodec, now: StoredObject, value: Buffer): boolean {
  const kept = now.json()
  if (kept.verbatim !== true) return false
  // Stored JSON differs from the cached JSON only by the revision and a mark, so a large difference in length means a change.
  if (value[0] === OPEN_BRACE && Math.abs(kept.bytes.length - value.length) > 64) return false
  const written = codec.json(value, now.revision)
  return written.verbatim === true && written.bytes.equals(kept.bytes)
}
