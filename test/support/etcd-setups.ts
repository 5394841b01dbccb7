import 'reflect-metadata'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SubjectAlternativeNameExtension } from '@peculiar/x509'
import { Etcd3, type IOptions, Range } from 'etcd3'
import { silentLogger } from '../../src/lib/log.ts'
import { openEtcd } from '../../src/storage/etcd/open-etcd.ts'
import type { EtcdOptions } from '../../src/storage/etcd/options.ts'
import { key } from '../../src/storage/revision.ts'
import { CLIENT_AUTH, type Issued, issueCertificate, SERVER_AUTH } from './certificates.ts'
import { type EtcdProgram, findEtcds, startEtcd } from './etcd.ts'
import { findKine, startKine } from './kine.ts'
import { findPostgres, startPostgres } from './postgres.ts'

/** A store that speaks etcd's protocol, with the options that reach it. */
export interface RunningStore {
  readonly options: EtcdOptions
  /** Optional. Reaches the store as its administrator. */
  readonly administrator?: EtcdOptions
  stop(): Promise<void>
}

/** A store as operators have it. */
export interface StoreSetup {
  readonly name: string
  /** How a watch cache over it follows it. */
  readonly following: 'progress' | 'revisions' | 'events'
  /** Who writes and reads it. */
  readonly use: 'own' | 'tenant' | 'shared' | 'kine'
  start(): Promise<RunningStore>
}

/** Etcds of their own, a prefix of one by a client certificate, one beside a writer, and kine: those that can run here. */
export function storeSetups(prefix = '/registry'): readonly StoreSetup[] {
  return [...findEtcds().flatMap(program => etcdSetups(program, prefix)), ...kineSetups()]
}

function etcdSetups(program: EtcdProgram, prefix: string): StoreSetup[] {
  const { version, path } = program
  // Of the versions that are found, one is older than 3.4.31 and one newer than 3.6.
  const isOld = version.startsWith('3.4.')
  const following = isOld ? 'revisions' : 'progress'
  return [
    {
      name: `etcd ${version}`,
      use: 'own',
      following,
      async start() {
        const server = await startEtcd([], path)
        return { options: { servers: [server.url], prefix }, stop: () => server.stop() }
      },
    },
    { name: `a prefix of etcd ${version} by certificate`, use: 'tenant', following: isOld ? 'events' : 'progress', start: () => startTenant(program, prefix) },
    { name: `etcd ${version} beside a writer`, use: 'shared', following, start: () => startShared(program, prefix) },
  ]
}

function kineSetups(): StoreSetup[] {
  if (findKine() === undefined) return []
  const kine = { use: 'kine', following: 'progress' } as const
  return [
    {
      ...kine,
      name: 'kine on SQLite',
      async start() {
        const server = await startKine()
        return { options: { servers: [server.url] }, stop: () => server.stop() }
      },
    },
    ...(findPostgres() === undefined ? [] : [{ ...kine, name: 'kine on PostgreSQL', start: startOnPostgres }]),
  ]
}

async function startOnPostgres(): Promise<RunningStore> {
  const database = await startPostgres()
  const server = await startKine(database.url)
  return {
    options: { servers: [server.url] },
    async stop() {
      await server.stop()
      await database.stop()
    },
  }
}

/** Files of certificates in a directory of their own. */
async function writeCertificates(users: readonly string[]): Promise<{ readonly dir: string; readonly file: (name: string) => string }> {
  const dir = mkdtempSync(join(tmpdir(), 'etcd-certificates-'))
  const file = (name: string) => join(dir, name)
  const write = (name: string, { cert, key }: Issued) => {
    writeFileSync(file(`${name}.crt`), cert)
    writeFileSync(file(`${name}.key`), key)
  }
  const issuer = await issueCertificate({ subject: [{ CN: ['test-ca'] }], isAuthority: true })
  write('ca', issuer)
  const address = new SubjectAlternativeNameExtension([{ type: 'ip', value: '127.0.0.1' }])
  write('server', await issueCertificate({ subject: [{ CN: ['server'] }], issuer, usages: [SERVER_AUTH, CLIENT_AUTH], extensions: [address] }))
  for (const user of users) write(user, await issueCertificate({ subject: [{ CN: [user] }], issuer, usages: [CLIENT_AUTH] }))
  return { dir, file }
}

/** An etcd with authentication, in which a user has one prefix, and the certificate of that user. */
async function startTenant({ path }: EtcdProgram, prefix: string): Promise<RunningStore> {
  const { dir, file } = await writeCertificates(['root', 'tenant'])
  const tls = ['--cert-file', file('server.crt'), '--key-file', file('server.key'), '--trusted-ca-file', file('ca.crt'), '--client-cert-auth']
  const server = await startEtcd(tls, path)
  await giveRights(server.url, file, prefix)
  const as = (user: string): EtcdOptions => ({
    servers: [server.url],
    prefix,
    caFile: file('ca.crt'),
    certFile: file(`${user}.crt`),
    keyFile: file(`${user}.key`),
  })
  return {
    options: as('tenant'),
    administrator: as('root'),
    async stop() {
      await server.stop()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

async function giveRights(url: string, file: (name: string) => string, prefix: string): Promise<void> {
  const credentials: IOptions['credentials'] = {
    rootCertificate: readFileSync(file('ca.crt')),
    privateKey: readFileSync(file('root.key')),
    certChain: readFileSync(file('root.crt')),
  }
  const client = new Etcd3({ hosts: [url], credentials })
  try {
    const root = client.role('root')
    await root.create()
    await client.user('root').create('unused')
    await client.user('root').addRole(root)
    const tenant = client.role('tenant')
    await tenant.create()
    await tenant.grant({ permission: 'Readwrite', range: Range.prefix(`${prefix}/`) })
    await client.user('tenant').create('unused')
    await client.user('tenant').addRole(tenant)
    await client.auth.authEnable()
  } finally {
    client.close()
  }
}

/** Milliseconds between writes of the other program. */
const FOREIGN_MS = 3

async function startShared({ path }: EtcdProgram, prefix: string): Promise<RunningStore> {
  const server = await startEtcd([], path)
  const writer = await openEtcd({ servers: [server.url] }, silentLogger)
  const over = new AbortController()
  const writing = (async () => {
    for (let i = 0; !over.signal.aborted; i++) {
      const at = key(`/foreign/${i % 100}`)
      const { item } = await writer.get(at, over.signal)
      await writer.write({ key: at, expected: item?.modRevision ?? 0, value: Buffer.from(String(i)) }, over.signal)
      await new Promise(resolve => setTimeout(resolve, FOREIGN_MS))
    }
  })().catch(() => {})
  return {
    options: { servers: [server.url], prefix },
    async stop() {
      over.abort()
      await writing
      await writer.close()
      await server.stop()
    },
  }
}
