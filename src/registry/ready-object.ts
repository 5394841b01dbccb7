import type { KubeObject } from '../api/meta/object.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import type { StoredObject } from '../storage/storage.ts'

/** Returns the stored object once its JSON exists. The JSON of a large object is encoded in turns. */
export const whenReady = (stored: StoredObject): Awaitable<StoredObject> => stored.ready?.()?.then(() => stored) ?? stored

/** `stored.object()`, in turns if the object is large. The result is shared and must not be changed. */
export const objectInTurns = (stored: StoredObject): Awaitable<KubeObject> => stored.objectInTurns?.() ?? stored.object()
