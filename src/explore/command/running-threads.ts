import { readdirSync, readFileSync } from 'node:fs'

/** Whether this machine tells the states of threads. */
export const SEES_THREADS = process.platform === 'linux'

/** Interval at which descendants are looked for, in milliseconds. */
const SCAN_MS = 250
const RUNNING = 'R'
/** In a wait that cannot be interrupted, such as for a disk. */
const WAITING = 'D'

/** The threads of a process and of its descendants. */
export class RunningThreads {
  readonly #pid: number
  #pids: readonly number[] = []
  #scannedAt = Number.NEGATIVE_INFINITY

  constructor(pid: number) {
    this.#pid = pid
  }

  /** Whether a thread computes, or waits for a processor or a disk. False if it cannot be known. */
  get isAny(): boolean {
    if (!SEES_THREADS) return false
    if (performance.now() - this.#scannedAt > SCAN_MS) {
      this.#pids = withDescendants(this.#pid)
      this.#scannedAt = performance.now()
    }
    return this.#pids.some(pid =>
      numbersIn(`/proc/${pid}/task`).some(thread => [RUNNING, WAITING].includes(statOf(`/proc/${pid}/task/${thread}`).state)),
    )
  }
}

/** Returns a process and its descendants. */
function withDescendants(pid: number): number[] {
  const children = new Map<number, number[]>()
  for (const other of numbersIn('/proc')) {
    const { parent } = statOf(`/proc/${other}`)
    children.set(parent, [...(children.get(parent) ?? []), other])
  }
  const found = [pid]
  for (const each of found) found.push(...(children.get(each) ?? []))
  return found
}

/** Names of a directory that are numbers. None if it does not exist. */
function numbersIn(directory: string): number[] {
  try {
    return readdirSync(directory).map(Number).filter(Number.isInteger)
  } catch {
    // The process has ended.
    return []
  }
}

interface Stat {
  readonly state: string
  readonly parent: number
}

/**
 * Reads the file `stat` of a process or thread. Its first field after the name, which is in parentheses, is the state,
 * and the second the parent.
 */
function statOf(directory: string): Stat {
  try {
    const stat = readFileSync(`${directory}/stat`, 'latin1')
    const [state = '', parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ', 2)
    return { state, parent: Number(parent) }
  } catch {
    // It has ended.
    return { state: '', parent: 0 }
  }
}
