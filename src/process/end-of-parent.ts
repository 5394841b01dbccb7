import { fstatSync } from 'node:fs'

/** Interval of checks of the parent's process id, in milliseconds. */
const LOOK_MS = 500

/** The process that started the program. */
export interface Parent {
  /** Standard input if it is a pipe from the parent. It ends when the parent closes it or exits. */
  readonly input: Pick<NodeJS.ReadStream, 'resume' | 'once' | 'unref'> | undefined
  /** Its process id. Changes when the parent exits, as the system assigns another parent. */
  id(): number
}

/**
 * Returns the parent of a process. Standard input is ignored if it is a terminal, a file or /dev/null, which shells
 * assign to background jobs: its end does not depend on the parent.
 */
export const parentOf = (program: NodeJS.Process): Parent => ({
  input: isPipe(0) ? program.stdin : undefined,
  id: () => program.ppid,
})

function isPipe(descriptor: number): boolean {
  try {
    const status = fstatSync(descriptor)
    return status.isFIFO() || status.isSocket()
  } catch {
    // The descriptor was closed before the program started.
    return false
  }
}

/**
 * Resolves with the reason when the parent exits, even if it was killed, or closes standard input. Does not keep the
 * process alive.
 */
export function endOfParent({ input, id }: Parent, lookMs = LOOK_MS): Promise<string> {
  const first = id()
  return new Promise(resolve => {
    const looking = setInterval(() => {
      if (id() !== first) end('the program that started this one has ended')
    }, lookMs)
    looking.unref()
    const end = (why: string): void => {
      clearInterval(looking)
      resolve(why)
    }
    if (input === undefined) return
    const ended = (): void => end('standard input has ended')
    input.once('end', ended).once('error', ended).once('close', ended)
    input.resume()
    // Only streams of pipes and sockets have `unref`.
    input.unref?.()
  })
}
