import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePorts } from './free-ports.ts'
import { storeProcess } from './store-process.ts'
import { answers } from './waiting.ts'

/** The path of a program of MariaDB, undefined if it is not on PATH. */
function findProgram(name: string): string | undefined {
  try {
    return execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim()
  } catch {
    return undefined
  }
}

/**
 * The programs that create and serve a database of MariaDB, which speaks MySQL's protocol. Undefined if they are not on
 * PATH.
 */
export function findMariadb(): { readonly install: string; readonly server: string } | undefined {
  const [install, server] = [findProgram('mariadb-install-db'), findProgram('mariadbd')]
  return install === undefined || server === undefined ? undefined : { install, server }
}

/** Starts MariaDB without databases in a temporary directory. `url`: for kine. */
export async function startMariadb(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const programs = findMariadb()
  if (programs === undefined) throw new Error('there is no MariaDB on PATH')
  const dir = mkdtempSync(join(tmpdir(), 'mariadb-'))
  const data = join(dir, 'data')
  const user = process.getuid?.() === 0 ? ['--user=root'] : []
  const install = ['--no-defaults', `--datadir=${data}`, '--auth-root-authentication-method=normal', '--skip-test-db', ...user]
  execFileSync(programs.install, install, { stdio: 'ignore' })
  const port = await freePorts.take()
  const places = [
    `--datadir=${data}`,
    `--port=${port}`,
    '--bind-address=127.0.0.1',
    `--socket=${join(dir, 'socket')}`,
    `--pid-file=${join(dir, 'pid')}`,
  ]
  const server = storeProcess(
    programs.server,
    ['--no-defaults', ...places, '--innodb-flush-log-at-trx-commit=0', ...user],
    () => answers(port),
    dir,
  )
  await server.start()
  return {
    url: `mysql://root@tcp(127.0.0.1:${port})/kine`,
    async stop() {
      await server.stop()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
