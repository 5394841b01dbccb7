import { statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Throws an Error with the code ENOTDIR if the directory or one of its parents is a file. A path that does not exist is
 * accepted.
 */
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
