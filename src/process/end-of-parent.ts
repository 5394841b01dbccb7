import { fstatSync } from 'node:fs'

/** Between two looks at whose child this process is. */
const LOOK_MS = 500

/** What the program is started by, as the process sees it. */
export interface Parent {
  /** Read to its end, where it is a pipe: the process at the other end has started this program, or is gone. */
  readonly input: Pick<NodeJS.ReadStream, 'resume' | 'once' | 'unref'> | undefined
  /** Its process id: another from the moment on in which it has ended. */
  id(): number
}

/** Of this process. Standard input that is a terminal, a file or /dev/null, as a shell gives to what runs in the background, says nothing of its end. */
export const parentOf = (program: NodeJS.Process): Parent => ({
  input: isPipe(0) ? program.stdin : undefined,
  id: () => program.ppid,
})

function isPipe(descriptor: number): boolean {
  try {
    const status = fstatSync(descriptor)
    return status.isFIFO() || status.isSocket()
  } catch {
    // It was closed before the program began.
    return false
  }
}

/** Resolves with what has happened when the program that has started this one ends, even where it was killed. Never keeps the process. */
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
    // Only streams of pipes and sockets have it.
    input.unref?.()
  })
}
