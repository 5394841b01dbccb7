import type { KubeObject } from '../meta/object.ts'
import type { StoredObject } from '../storage/storage.ts'
import type { Converted } from './conversion.ts'

/** The object once its JSON is at hand, which is made in turns where that takes long. */
export const whenReady = (stored: StoredObject): Converted<StoredObject> => stored.ready?.()?.then(() => stored) ?? stored

/** What `stored.object()` returns, shared likewise. */
export const objectInTurns = (stored: StoredObject): Converted<KubeObject> => stored.objectInTurns?.() ?? stored.object()
