import type { ServerProcess } from './server-process.ts'

/** Processes of the workers that serve, by their numbers, as the log tells. */
export function workerPids(server: ServerProcess): Map<number, number> {
  const pids = new Map<number, number>()
  for (const [, number, pid] of server.log().matchAll(/worker serves worker=(\d+) pid=(\d+)/g)) pids.set(Number(number), Number(pid))
  return pids
}

/**
 * Returns the worker that served a request, by the Audit-Id of the response. Needs `-v=3`. Undefined until the line is
 * logged.
 */
export function workerOf(server: ServerProcess, auditId: string): number | undefined {
  const line = server
    .log()
    .split('\n')
    .findLast(one => one.includes(auditId))
  const number = /worker=(\d+)/.exec(line ?? '')?.[1]
  return number === undefined ? undefined : Number(number)
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
