import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createServerProcess, type ServerProcess } from './server-process.ts'

export interface WatchedServer {
  readonly server: ServerProcess
  /**
   * Milliseconds of the longest piece of work since this was asked last: of the processor's time, so that other
   * processes count for nothing, and without garbage collection.
   */
  longestPiece(): Promise<number>
  stop(): Promise<void>
}

/** A started server whose event loop is watched. */
export async function startWatchedServer(flags: readonly string[] = []): Promise<WatchedServer> {
  const directory = mkdtempSync(join(tmpdir(), 'binnacle-loop-'))
  const report = join(directory, 'loop')
  const server = await createServerProcess(flags)
  const { NODE_OPTIONS, LOOP_REPORT } = process.env
  process.env.NODE_OPTIONS = `--import ${join(import.meta.dirname, '../bench/support/loop-probe.mjs')}`
  process.env.LOOP_REPORT = report
  try {
    await server.start()
  } finally {
    restore('NODE_OPTIONS', NODE_OPTIONS)
    restore('LOOP_REPORT', LOOP_REPORT)
  }
  return {
    server,
    async longestPiece() {
      rmSync(report, { force: true })
      server.signal('SIGUSR2')
      while (!existsSync(report)) await sleep(5)
      const { code } = JSON.parse(readFileSync(report, 'utf8')) as { code: number }
      // It forgets what it has told a little later.
      await sleep(40)
      return code
    },
    async stop() {
      await server.stop()
      rmSync(directory, { recursive: true })
    },
  }
}

function restore(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name]
  else process.env[name] = value
}
