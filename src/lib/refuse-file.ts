import { statSync } from 'node:fs'
import { dirname } from 'node:path'

/** Throws an Error with the code ENOTDIR if there is a file where a directory is to be, or above it. A path at which there is nothing passes. */
export function refuseFile(directory: string): void {
  const above = dirname(directory)
  if (above !== directory) refuseFile(above)
  if (isFile(directory)) throw Object.assign(new Error(`${directory} is a file, not a directory`), { code: 'ENOTDIR' })
}

function isFile(path: string): boolean {
  try {
    return !statSync(path).isDirectory()
  } catch {
    return false
  }
}
