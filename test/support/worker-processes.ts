import type { ServerProcess } from './server-process.ts'

/** Processes of the workers that serve, by their numbers, as the log tells. */
export function workerPids(server: ServerProcess): Map<number, number> {
  const pids = new Map<number, number>()
  for (const [, number, pid] of server.log().matchAll(/worker serves worker=(\d+) pid=(\d+)/g)) pids.set(Number(number), Number(pid))
  return pids
}

/** Which worker has answered a request, by the Audit-Id of its answer. Needs `-v=3`; undefined where the line has not come yet. */
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
