import { mapInSlices } from '../lib/slices.ts'
import type { Encoder, StoredObject } from '../storage/storage.ts'

/** The clock is asked once for so many: bytes that are ready cost less than asking. */
const STEP = 64

/** The bytes of each object, header and all. The event loop gets its turn where they are to be made. */
export const encodedAll = (objects: readonly StoredObject[], encoder: Encoder): Promise<Buffer[]> =>
  mapInSlices(objects, object => object.encoded(encoder).bytes, STEP)
