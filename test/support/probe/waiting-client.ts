import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/**
 * Asks for /healthz over and over, and measures how long it waits: in a process of its own, so that what its user does
 * meanwhile is not measured.
 */
export interface WaitingClient {
  /** Resolves after the first response. */
  begin(): Promise<void>
  /** Milliseconds of the longest wait since `begin`, of a request that may have ended after this call. */
  end(): Promise<number>
  close(): void
}

/** `kubeconfig`: a file, as `createProbeClient` takes it. */
export function createWaitingClient(kubeconfig: string): WaitingClient {
  const child = fork(fileURLToPath(new URL('./waiting-process.ts', import.meta.url)), [kubeconfig], { execArgv: ['--import', 'tsx'] })
  const ended = new Promise<never>((_, reject) => child.once('exit', () => reject(new Error('the waiting client ended'))))
  // The promise also rejects on close, when it is no longer awaited.
  ended.catch(() => {})
  const ask = async (message: 'begin' | 'end'): Promise<number> => {
    const told = once(child, 'message')
    child.send(message)
    const [longest] = (await Promise.race([told, ended])) as [number]
    return longest
  }
  return {
    async begin() {
      await ask('begin')
    },
    end: () => ask('end'),
    close() {
      child.kill()
    },
  }
}
