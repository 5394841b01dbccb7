import 'reflect-metadata'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SubjectAlternativeNameExtension } from '@peculiar/x509'
import { Range } from 'etcd3'
import type { EtcdOptions } from '../../src/storage/etcd/options.ts'
import { CLIENT_AUTH, type Issued, issueCertificate, SERVER_AUTH } from './certificates.ts'
import { type EtcdServer, startEtcd } from './etcd.ts'
import { foreignClient } from './foreign-client.ts'

/** An etcd with the options of its two users. */
export interface TenantEtcd extends EtcdServer {
  /** Has the rights on its prefix alone. */
  readonly tenant: EtcdOptions
  readonly administrator: EtcdOptions
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
  const address = new SubjectAlternativeNameExtension([
    { type: 'ip', value: '127.0.0.1' },
    { type: 'dns', value: 'localhost' },
  ])
  write(
    'server',
    await issueCertificate({ subject: [{ CN: ['server'] }], issuer, usages: [SERVER_AUTH, CLIENT_AUTH], extensions: [address] }),
  )
  for (const user of users) write(user, await issueCertificate({ subject: [{ CN: [user] }], issuer, usages: [CLIENT_AUTH] }))
  return { dir, file }
}

/**
 * An etcd with authentication, in which a user has one prefix, and the certificates of that user and of the
 * administrator.
 */
export async function startTenantEtcd(path: string, prefix: string): Promise<TenantEtcd> {
  const { dir, file } = await writeCertificates(['root', 'tenant'])
  const tls = [
    '--cert-file',
    file('server.crt'),
    '--key-file',
    file('server.key'),
    '--trusted-ca-file',
    file('ca.crt'),
    '--client-cert-auth',
  ]
  const server = await startEtcd(tls, path)
  const as = (user: string): EtcdOptions => ({
    servers: [server.url],
    prefix,
    caFile: file('ca.crt'),
    certFile: file(`${user}.crt`),
    keyFile: file(`${user}.key`),
  })
  await giveRights(as('root'), prefix)
  return {
    ...server,
    tenant: as('tenant'),
    administrator: as('root'),
    async stop() {
      await server.stop()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

async function giveRights(administrator: EtcdOptions, prefix: string): Promise<void> {
  const client = foreignClient(administrator)
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
