import { linkSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode } from '../../lib/error-code.ts'
import { placePrivateSync } from '../../lib/private-file.ts'
import { BackendError } from '../backend.ts'

/**
 * Takes the directory for this process by a file `lock` that names its holder, and returns what releases it. A file whose holder has died is taken over: the
 * holder is identified by process id and, where /proc has it, start time, so that a number given anew is not mistaken for it.
 * @throws BackendError `unavailable` where another process (or this one) holds the directory.
 */
export function lockDirectory(dir: string): () => void {
  const path = join(dir, 'lock')
  const mine = `${process.pid} ${startTime(process.pid)}\n`
  for (let attempt = 0; attempt < 10; attempt++) {
    // With its content, in one step: no one reads it half written.
    if (placePrivateSync(path, mine)) {
      return () => {
        if (read(path) === mine) rmSync(path, { force: true })
      }
    }
    const theirs = read(path)
    if (theirs === undefined) continue
    const pid = Number(theirs.split(' ')[0])
    if (isAlive(theirs)) throw new BackendError('unavailable', `the store in ${dir} is in use by process ${pid} (its lock is ${path})`)
    removeStale(path, theirs)
  }
  throw new BackendError('unavailable', `the store in ${dir} cannot be locked: others keep taking ${path}`)
}

/** Moves the stale file away; if another process put its own there meanwhile, that one goes back. */
function removeStale(path: string, stale: string): void {
  const aside = `${path}.${process.pid}`
  try {
    renameSync(path, aside)
    if (read(aside) !== stale) linkSync(aside, path)
  } catch (error) {
    const code = errorCode(error)
    if (code !== 'ENOENT' && code !== 'EEXIST') throw error
  } finally {
    rmSync(aside, { force: true })
  }
}

function isAlive(holder: string): boolean {
  const [pid = '', start = ''] = holder.trim().split(' ')
  if (!/^[1-9][0-9]*$/.test(pid)) return false
  try {
    process.kill(Number(pid), 0)
  } catch (error) {
    if (errorCode(error) === 'ESRCH') return false
  }
  return start === '' || start === startTime(Number(pid))
}

/** Field 22 of /proc/<pid>/stat; empty where there is no such file. */
function startTime(pid: number): string {
  const stat = read(`/proc/${pid}/stat`)
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
