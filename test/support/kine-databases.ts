import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findKine, findKineWithNats } from './kine.ts'
import { findMariadb, startMariadb } from './mariadb.ts'
import { findPostgres, startPostgres } from './postgres.ts'

/** A database that kine stores its keys in. */
export interface KineDatabase {
  /** For `$STORES`. */
  readonly id: string
  readonly name: string
  /** Why kine cannot run on it here. Undefined if it can. */
  missing(): string | undefined
  /** The program. Default: kine as it is released. */
  readonly program?: () => string | undefined
  /** Optional. Starts a database for kine, and returns its URL. Default: a file of SQLite. */
  readonly start?: () => Promise<{ readonly url: string; stop(): Promise<void> }>
}

const NO_KINE = 'there is no kine; hack/kine builds it if Go is installed'
const missingKine = (): string | undefined => (findKine() === undefined ? NO_KINE : undefined)

export const KINE_DATABASES: readonly KineDatabase[] = [
  { id: 'kine-sqlite', name: 'SQLite', missing: missingKine },
  {
    id: 'kine-postgres',
    name: 'PostgreSQL',
    missing: () => missingKine() ?? (findPostgres() === undefined ? 'there is no PostgreSQL on PATH' : undefined),
    start: startPostgres,
  },
  {
    id: 'kine-mysql',
    name: 'MariaDB',
    missing: () => missingKine() ?? (findMariadb() === undefined ? 'there is no MariaDB on PATH' : undefined),
    start: startMariadb,
  },
  {
    id: 'kine-nats',
    name: 'NATS',
    missing: () =>
      findKineWithNats() === undefined ? 'there is no kine with NATS; hack/kine nats builds it if Go is installed' : undefined,
    program: findKineWithNats,
    async start() {
      const dir = mkdtempSync(join(tmpdir(), 'nats-'))
      // The server is part of kine. A bucket keeps at most 64 changes of a key.
      return { url: `nats://?dontListen&revHistory=64&dataDir=${dir}`, stop: async () => rmSync(dir, { recursive: true, force: true }) }
    },
  },
]
