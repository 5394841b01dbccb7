import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePorts } from './free-ports.ts'
import { type StoreProcess, storeProcess } from './store-process.ts'
import { answers } from './waiting.ts'

const finder = fileURLToPath(new URL('../../hack/kine', import.meta.url))

function find(...args: string[]): string | undefined {
  try {
    return execFileSync(finder, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return undefined
  }
}

/** The path of kine (`hack/kine find`), undefined if there is none. */
export const findKine = (): string | undefined => find('find')

/** The path of a kine with NATS, undefined if there is none. */
export const findKineWithNats = (): string | undefined => find('find', 'nats')

/** A kine of the test's own. `stop` removes its data, except those of a database that was given. */
export interface KineServer extends StoreProcess {
  readonly url: string
  stop(): Promise<void>
}

/** Starts kine in a temporary directory. `database`: a URL. Default: SQLite. */
export async function startKine(database?: string, binary = findKine()): Promise<KineServer> {
  if (binary === undefined) throw new Error('there is no kine: hack/kine builds it')
  const dir = mkdtempSync(join(tmpdir(), 'kine-'))
  const port = await freePorts.take()
  const endpoint = database ?? `sqlite://${join(dir, 'kine.db')}?_journal=WAL&cache=shared`
  const flags = ['--listen-address', `tcp://127.0.0.1:${port}`, '--endpoint', endpoint, '--metrics-bind-address', '0']
  const kine = storeProcess(binary, flags, () => answers(port), dir)
  await kine.start()
  return {
    ...kine,
    url: `http://127.0.0.1:${port}`,
    async stop() {
      await kine.stop()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
