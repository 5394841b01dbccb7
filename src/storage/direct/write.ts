import type { KubeObject } from '../../api/meta/object.ts'
import { startInTurns } from '../../lib/steps.ts'
import { nextTurn, turnIsSpent } from '../../lib/turn.ts'
import type { KeyValue } from '../backend.ts'
import { abortedError, translated } from '../errors.ts'
import type { Key } from '../revision.ts'
import type { Decide, ResourceCodec, StoredObject, WriteDecision, Written } from '../storage.ts'
import { StorageError } from '../storage.ts'
import { Stored } from '../stored-object.ts'
import type { StoreSource } from './source.ts'

/**
 * The update loop of Storage.write. A state is certain if it was read from the store during this call. A decision on an
 * assumed state is final only if its guarded write succeeds; otherwise the state is read and decided on again.
 */
export async function guardedWrite<T>(
  source: WriteSource,
  key: Key,
  decide: Decide<T>,
  signal: AbortSignal,
  assume: StoredObject | 'absent' | undefined,
): Promise<Written<T>> {
  const write = new GuardedWrite(source, key, signal, assume)
  if (assume === undefined) await write.confirm()
  for (;;) {
    if (signal.aborted) throw abortedError(signal)
    let decision: WriteDecision<T>
    try {
      decision = await decide(write.now)
    } catch (error) {
      if (await write.confirm()) throw error
      continue
    }
    const { change, result } = decision
    const done =
      'put' in change ? await write.put(change.put, change.ttlSeconds) : 'keep' in change ? await write.keep() : await write.remove()
    if (done) return { result, ...done }
  }
}

type WriteSource = Pick<StoreSource, 'backend' | 'codec'>
/**
 * Outcome of an attempt. Undefined if the state was another one: `now` has been read again, and the caller decides
 * anew.
 */
type Attempted = Omit<Written<unknown>, 'result'> | undefined

/** The state of one key, and attempts to change it. */
class GuardedWrite {
  readonly #source: WriteSource
  readonly #key: Key
  readonly #signal: AbortSignal
  #certain = false
  #now: StoredObject | undefined

  constructor(source: WriteSource, key: Key, signal: AbortSignal, assume: StoredObject | 'absent' | undefined) {
    this.#source = source
    this.#key = key
    this.#signal = signal
    this.#now = assume === 'absent' ? undefined : assume
  }

  /** State to decide on. Undefined if there is no object. */
  get now(): StoredObject | undefined {
    return this.#now
  }

  /**
   * Reads the store if the state is assumed. True if the store has the assumed state; otherwise `now` is the store's
   * state.
   */
  async confirm(): Promise<boolean> {
    if (this.#certain) return true
    const { item } = await translated(this.#source.backend.get(this.#key, this.#signal), { key: this.#key })
    const assumed = this.#now
    await this.#become(item)
    return this.#now?.revision === assumed?.revision
  }

  /** Takes an item of the store as the state. */
  async #become(item: KeyValue | undefined): Promise<void> {
    this.#now = item && (await Stored.readInTurns(this.#key, item.modRevision, this.#source.codec, item.value))
    this.#certain = true
  }

  async keep(): Promise<Attempted> {
    const old = this.#now
    if (old === undefined) return this.#missing()
    return (await this.confirm()) ? { object: this.#now ?? old, outcome: 'unchanged' } : undefined
  }

  async remove(): Promise<Attempted> {
    const old = this.#now
    if (old === undefined) return this.#missing()
    const key = this.#key
    const { backend, codec } = this.#source
    const deleted = await translated(backend.write({ key, expected: old.revision }, this.#signal), { key })
    if (deleted.ok) return { object: new Stored(key, deleted.revision, codec, old.json()).at(deleted.revision), outcome: 'deleted' }
    await this.#become(deleted.current)
    return undefined
  }

  async #missing(): Promise<undefined> {
    if (await this.confirm()) throw new StorageError('not found', `${this.#key} does not exist`, { key: this.#key })
  }

  async put(next: KubeObject, ttlSeconds: number | undefined): Promise<Attempted> {
    const key = this.#key
    const { backend, codec } = this.#source
    const value = await startInTurns(codec.encodeInSteps(next))
    const ready = codec.prepareJson(value)
    if (ready) await ready
    if (this.#now !== undefined && isStored(codec, this.#now, value)) {
      if (!(await this.confirm())) return undefined
      // Same revision. The transformer may call the bytes stale by now, because encryption keys may have changed.
      if (isStored(codec, this.#now, value)) return { object: this.#now, outcome: 'unchanged' }
    }
    const now = this.#now
    const held = codec.toStorage(value, key)
    const put = await translated(
      backend.write({ key, expected: now?.revision ?? 0, value: held, ...(ttlSeconds !== undefined && { ttlSeconds }) }, this.#signal),
      { key },
    )
    // All writes of one commit resolve together.
    if (turnIsSpent()) await nextTurn()
    if (put.ok)
      return {
        object: new Stored(key, put.revision, codec, codec.json(value, put.revision)),
        outcome: now === undefined ? 'created' : 'updated',
      }
    await this.#become(put.current)
    return undefined
  }
}

const OPEN_BRACE = 0x7b

/** Reports whether writing the bytes would change nothing. */
function isStored(codec: ResourceCodec, now: StoredObject, value: Buffer): boolean {
  const kept = now.json()
  if (kept.verbatim !== true) return false
  // Stored JSON differs from the cached JSON only by the revision and a mark, so a large difference in length means a
  // change.
  if (value[0] === OPEN_BRACE && Math.abs(kept.bytes.length - value.length) > 64) return false
  const written = codec.json(value, now.revision)
  return written.verbatim === true && written.bytes.equals(kept.bytes)
}
