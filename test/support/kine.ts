import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePorts } from './free-ports.ts'
import { answers, eventually } from './waiting.ts'

const finder = fileURLToPath(new URL('../../hack/kine', import.meta.url))

/** The path of kine (`hack/kine find`), undefined if there is none. */
export function findKine(): string | undefined {
  try {
    return execFileSync(finder, ['find'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return undefined
  }
}

/** Starts kine in a temporary directory. `database`: a URL. Default: SQLite. */
export async function startKine(database?: string): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const binary = findKine()
  if (binary === undefined) throw new Error('there is no kine: hack/kine builds it')
  const dir = mkdtempSync(join(tmpdir(), 'kine-'))
  const port = await freePorts.take()
  const endpoint = database ?? `sqlite://${join(dir, 'kine.db')}?_journal=WAL&cache=shared`
  const child = spawn(binary, ['--listen-address', `tcp://127.0.0.1:${port}`, '--endpoint', endpoint, '--metrics-bind-address', '0'], {
    cwd: dir,
    stdio: 'ignore',
  })
  const killWithTest = () => child.kill('SIGKILL')
  process.once('exit', killWithTest)
  await eventually('kine listens', () => answers(port))
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      process.removeListener('exit', killWithTest)
      if (child.exitCode === null) {
        const ended = once(child, 'exit')
        child.kill('SIGKILL')
        await ended
      }
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
