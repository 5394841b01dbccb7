import { errorCode } from '../lib/error-code.ts'
import { errorMessage } from '../lib/error-message.ts'

const SYSTEM: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or directory',
  EACCES: 'permission denied',
  ENOTDIR: 'not a directory',
  EISDIR: 'is a directory',
  ELOOP: 'too many levels of symbolic links',
}

/** Describes in Go's words why a file could not be read. @param call failed operation (`open`, `stat`). */
export function fileError(error: unknown, path: string, call = 'open'): string {
  const code = errorCode(error) ?? ''
  const text = SYSTEM[code]
  // A directory can be opened but not read.
  return text === undefined ? errorMessage(error) : `${code === 'EISDIR' ? 'read' : call} ${path}: ${text}`
}
