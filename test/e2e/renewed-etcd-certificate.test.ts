import 'reflect-metadata'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SubjectAlternativeNameExtension } from '@peculiar/x509'
import { expect } from 'chai'
import { CLIENT_AUTH, type Issued, issueCertificate, SERVER_AUTH } from '../support/certificates.ts'
import { type ChangingStore, startChangingStore } from '../support/changing-store.ts'
import { type EtcdServer, findEtcds, startEtcd } from '../support/etcd.ts'
import { createServerProcess, type ServerProcess } from '../support/server-process.ts'
import { eventually } from '../support/waiting.ts'

/** The newest alone: certificates expire in real time. */
const FOUND = findEtcds().slice(0, 1)

if (FOUND.length === 0) describe.skip('client certificate for etcd (skipped: there is no etcd here; hack/etcd installs one)', () => {})
for (const { path, version } of FOUND)
  describe(`client certificate for etcd ${version}`, () => {
    let dir: string
    let issuer: Issued
    let etcd: EtcdServer
    let server: ServerProcess
    let store: ChangingStore
    const file = (name: string) => join(dir, name)
    const write = (name: string, { cert, key }: Issued) => {
      writeFileSync(file(`${name}.crt`), cert)
      writeFileSync(file(`${name}.key`), key)
    }
    /** `notAfter`: default, in an hour. */
    const issue = async (name: string, notAfter?: number) =>
      write(
        name,
        await issueCertificate({ subject: [{ CN: [name] }], issuer, usages: [CLIENT_AUTH], ...(notAfter !== undefined && { notAfter }) }),
      )

    before(async () => {
      dir = mkdtempSync(join(tmpdir(), 'etcd-certificate-'))
      issuer = await issueCertificate({ subject: [{ CN: ['test-ca'] }], isAuthority: true })
      write('ca', issuer)
      const extensions = [new SubjectAlternativeNameExtension([{ type: 'ip', value: '127.0.0.1' }])]
      write('server', await issueCertificate({ subject: [{ CN: ['server'] }], issuer, usages: [SERVER_AUTH, CLIENT_AUTH], extensions }))
      await issue('client')
      await issue('other')
      const tls = [
        '--cert-file',
        file('server.crt'),
        '--key-file',
        file('server.key'),
        '--trusted-ca-file',
        file('ca.crt'),
        '--client-cert-auth',
      ]
      etcd = await startEtcd(tls, path)
      const flags = ['--etcd-cafile', file('ca.crt'), '--etcd-certfile', file('client.crt'), '--etcd-keyfile', file('client.key')]
      server = await createServerProcess(['--etcd-servers', etcd.url, ...flags])
      await server.start()
      store = await startChangingStore(
        server.url,
        { servers: [etcd.url], caFile: file('ca.crt'), certFile: file('other.crt'), keyFile: file('other.key') },
        300,
      )
    })
    after(async () => {
      await store?.close()
      await server?.stop()
      await etcd?.stop()
      rmSync(dir, { recursive: true, force: true })
    })

    const isReady = async (): Promise<boolean> => (await store.trial.client.ask('GET', '/readyz')).status === 200

    it('is used until its connections end, and is replaced from the disk without a restart', async () => {
      await store.goesOn()
      await issue('client', Date.now() - 60_000)
      await store.goesOn()
      await etcd.kill()
      await etcd.start()
      await eventually('the server says that it has no store', async () => !(await isReady()))
      await eventually('the log says why', () =>
        /the watch of the store ended: .* error="TLS: \w+ alert (certificate expired|bad certificate)"/.test(server.log()),
      )
      await issue('client')
      await eventually('the server is ready', isReady)
      await store.goesOn()
      await store.judge()
      expect(server.log()).to.include('the watch of the store is open again')
    })
  })
