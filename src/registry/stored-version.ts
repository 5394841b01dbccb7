import { memberAt, startsWith, textAt } from '../storage/json-splice.ts'
import type { StoredObject } from '../storage/storage.ts'

const API_VERSION = Buffer.from('apiVersion')

/**
 * Returns a test of whether a stored object of a custom kind is in a version. It reads the bytes without parsing them.
 */
export function isOfVersion(apiVersion: string): (stored: StoredObject) => boolean {
  // The first bytes of nearly every object of the version.
  const start = Buffer.from(`{"apiVersion":${JSON.stringify(apiVersion)},`)
  return stored => startsWith(stored.json().bytes, 0, start) || apiVersionIn(stored) === apiVersion
}

/** The apiVersion in the JSON. Empty if there is none. */
function apiVersionIn(stored: StoredObject): string {
  const { bytes, header } = stored.json()
  const at = memberAt(bytes, header - 1, API_VERSION)
  return at < 0 ? '' : textAt(bytes, at)
}
