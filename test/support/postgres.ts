import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { freePorts } from './free-ports.ts'
import { eventually } from './waiting.ts'

/** The user `nobody`: PostgreSQL refuses to run as root. */
const NOBODY = 65_534

/** The folder of PostgreSQL's programs, undefined if there is none. */
export function findPostgres(): string | undefined {
  try {
    return dirname(realpathSync(execFileSync('sh', ['-c', 'command -v postgres'], { encoding: 'utf8' }).trim()))
  } catch {
    return undefined
  }
}

/** Starts PostgreSQL with an empty database in a temporary directory. `url`: for kine. */
export async function startPostgres(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const programs = findPostgres()
  if (programs === undefined) throw new Error('there is no PostgreSQL on PATH')
  const dir = mkdtempSync(join(tmpdir(), 'postgres-'))
  const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
  if (user.uid !== undefined) chownSync(dir, user.uid, user.gid)
  execFileSync(join(programs, 'initdb'), ['-D', dir, '-A', 'trust', '-U', 'postgres', '--no-sync'], { ...user, cwd: dir, stdio: 'ignore' })
  const port = await freePorts.take()
  const flags = ['-D', dir, '-p', String(port), '-k', dir, '-h', '127.0.0.1', '-c', 'fsync=off']
  const child = spawn(join(programs, 'postgres'), flags, { ...user, cwd: dir, stdio: 'ignore' })
  const killWithTest = () => child.kill('SIGQUIT')
  process.once('exit', killWithTest)
  // It listens before it takes connections.
  const isReady = () => spawnSync(join(programs, 'pg_isready'), ['-h', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' }).status === 0
  await eventually('PostgreSQL takes connections', isReady, 50)
  return {
    url: `postgres://postgres@127.0.0.1:${port}/kine?sslmode=disable`,
    async stop() {
      process.removeListener('exit', killWithTest)
      if (child.exitCode === null) {
        const ended = once(child, 'exit')
        child.kill('SIGINT')
        await ended
      }
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
