import type { KubeObject } from '../meta/object.ts'
import type { StoredObject } from '../storage/storage.ts'
import type { Converted } from './conversion.ts'

/** Returns the stored object once its JSON exists. The JSON of a large object is encoded in turns. */
export const whenReady = (stored: StoredObject): Converted<StoredObject> => stored.ready?.()?.then(() => stored) ?? stored

/** `stored.object()`, in turns if the object is large. The result is shared and must not be changed. */
export const objectInTurns = (stored: StoredObject): Converted<KubeObject> => stored.objectInTurns?.() ?? stored.object()
