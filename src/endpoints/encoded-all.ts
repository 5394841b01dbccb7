import { setImmediate } from 'node:timers/promises'
import type { Encoder, StoredObject } from '../storage/storage.ts'

/** Milliseconds of work before the event loop has its turn. */
const SLICE_MS = 4
/** The clock is asked once for so many: bytes that are ready cost less than asking. */
const STEP = 64

/** The bytes of each object, header and all. The event loop gets its turn where they are to be made. */
export async function encodedAll(objects: readonly StoredObject[], encoder: Encoder): Promise<Buffer[]> {
  const out = new Array<Buffer>(objects.length)
  let until = performance.now() + SLICE_MS
  for (let i = 0; i < objects.length; i++) {
    if (i % STEP === STEP - 1 && performance.now() > until) {
      await setImmediate()
      until = performance.now() + SLICE_MS
    }
    out[i] = (objects[i] as StoredObject).encoded(encoder).bytes
  }
  return out
}
