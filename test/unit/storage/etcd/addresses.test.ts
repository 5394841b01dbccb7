import 'reflect-metadata'
import dns from 'node:dns'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { isIPv6 } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { silentLogger } from '../../../../src/lib/log.ts'
import { openEtcd } from '../../../../src/storage/etcd/open-etcd.ts'
import { openFewCalls } from '../../../../src/storage/etcd/open-few-calls.ts'
import type { EtcdOptions } from '../../../../src/storage/etcd/options.ts'
import { key } from '../../../../src/storage/revision.ts'
import { codeOf, never } from '../../../support/backend.ts'
import { ANY_PURPOSE, CLIENT_AUTH, type Issued, issueCertificate, SERVER_AUTH } from '../../../support/certificates.ts'
import { type EtcdServer, findEtcds, startEtcd } from '../../../support/etcd.ts'
import { eventually } from '../../../support/waiting.ts'

const HAS_IPV6 = Object.values(networkInterfaces()).some(addresses =>
  addresses?.some(({ address }) => isIPv6(address) && address === '::1'),
)
const programs = findEtcds()

/** Writes, reads and watches as the server does, and reads as its primary process does. */
async function expectServed(options: EtcdOptions): Promise<void> {
  const backend = await openEtcd({ ...options, requestTimeoutMs: 10_000 }, silentLogger)
  const few = openFewCalls(options)
  const over = new AbortController()
  try {
    const at = key('/registry/a')
    const before = await backend.get(at, never)
    const events = backend.watch({ start: at, end: key('/registry/b'), from: before.revision + 1 } as never, over.signal)
    const first = events[Symbol.asyncIterator]().next()
    const written = await backend.write({ key: at, expected: before.item?.modRevision ?? 0, value: Buffer.from('v') } as never, never)
    expect(written.ok).to.equal(true)
    expect((await first).value?.revision).to.equal(written.revision)
    expect((await few.get(at, never)).item?.value.toString()).to.equal('v')
  } finally {
    over.abort()
    await few.close()
    await backend.close()
  }
}

/** Names have these addresses while something runs. */
async function whileResolved(addresses: Readonly<Record<string, readonly string[]>>, run: () => Promise<void>): Promise<void> {
  const { lookup } = dns
  const { lookup: promised } = dns.promises
  const all = (name: string) => addresses[name]?.map(address => ({ address, family: isIPv6(address) ? 6 : 4 }))
  dns.lookup = ((name: string, options: { all?: boolean }, done: (...given: unknown[]) => void) => {
    const found = all(name)
    if (!found) return lookup(name, options, done)
    process.nextTick(() => (options.all ? done(null, found) : done(null, found[0]?.address, found[0]?.family)))
  }) as typeof lookup
  dns.promises.lookup = (async (name: string, options: object) => all(name) ?? promised(name, options)) as typeof promised
  try {
    await run()
  } finally {
    dns.lookup = lookup
    dns.promises.lookup = promised
  }
}

for (const { path, version } of programs)
  describe(`addresses of etcd ${version}`, () => {
    const isOld = version.startsWith('3.4.')
    let dir: string
    let server: EtcdServer | undefined
    const file = (name: string) => join(dir, name)
    const write = (name: string, { cert, key }: Issued): void => {
      writeFileSync(file(`${name}.crt`), cert)
      writeFileSync(file(`${name}.key`), key)
    }
    const tls = () => [
      '--cert-file',
      file('server.crt'),
      '--key-file',
      file('server.key'),
      '--trusted-ca-file',
      file('clients.crt'),
      '--client-cert-auth',
    ]
    const client = () => ({ caFile: file('ca.crt'), certFile: file('client.crt'), keyFile: file('client.key') })
    const authority = () => issueCertificate({ subject: [{ CN: ['ca'] }], isAuthority: true })
    const started = async (...args: string[]): Promise<EtcdServer> => {
      server = await startEtcd(args, path)
      return server
    }

    before(async () => {
      dir = mkdtempSync(join(tmpdir(), 'etcd-addresses-'))
      const issuer = await authority()
      write('ca', issuer)
      write('clients', issuer)
      write(
        'server',
        await issueCertificate({
          subject: [{ CN: ['etcd'] }],
          issuer,
          usages: [SERVER_AUTH, CLIENT_AUTH],
          dns: ['etcd.test', 'etcd.sock', 'localhost'],
        }),
      )
      write('client', await issueCertificate({ subject: [{ CN: ['client'] }], issuer, usages: [CLIENT_AUTH] }))
    })
    after(() => rmSync(dir, { recursive: true, force: true }))
    afterEach(async () => {
      await server?.stop()
      server = undefined
    })

    it('may be the path of a socket', async function () {
      // etcd 3.4 listens on none.
      if (isOld) this.skip()
      await started('--listen-client-urls', `unix://${file('plain.sock')}`)
      await expectServed({ servers: [`unix://${file('plain.sock')}`] })
    })

    it('may be the path of a socket with TLS, with a certificate for the name of the file', async function () {
      if (isOld) this.skip()
      await started('--listen-client-urls', `unixs://${file('etcd.sock')}`, ...tls())
      await expectServed({ servers: [`unixs://${file('etcd.sock')}`], ...client() })
      const stranger = await openEtcd({ servers: [`unixs://${file('etcd.sock')}`], requestTimeoutMs: 500 }, silentLogger)
      expect(await codeOf(stranger.currentRevision(never))).to.be.oneOf(['unavailable', 'timeout'])
      await stranger.close()
    })

    it('may be a relative path with TLS, as host and port', async () => {
      const before = process.cwd()
      process.chdir(dir)
      try {
        await started('--listen-client-urls', 'unixs://localhost:1234', ...tls())
        await expectServed({ servers: ['unixs://localhost:1234'], ...client() })
      } finally {
        process.chdir(before)
      }
    })

    it('may be IPv6 addresses', async function () {
      if (!HAS_IPV6) this.skip()
      const { url } = await started()
      const there = url.replace('127.0.0.1', '[::1]')
      await server?.stop()
      await started('--listen-client-urls', there)
      await expectServed({ servers: [there] })
      await expectServed({ servers: [there.replace('http://', '')] })
    })

    it('may be without a scheme', async () => {
      const { url } = await started()
      await expectServed({ servers: [url.replace('http://', '')] })
    })

    it('may be without a scheme, with TLS if certificates are configured', async () => {
      const { url } = await started(...tls())
      const there = url.replace('https://127.0.0.1', 'etcd.test')
      await whileResolved({ 'etcd.test': ['127.0.0.1'] }, () => expectServed({ servers: [there], ...client() }))
    })

    it('may belong to a server whose certificate allows any purpose', async () => {
      const issuer = await authority()
      const any = await issueCertificate({ subject: [{ CN: ['etcd'] }], issuer, usages: [ANY_PURPOSE], dns: ['etcd.test'] })
      write('any-ca', issuer)
      write('any', any)
      const { url } = await started('--cert-file', file('any.crt'), '--key-file', file('any.key'))
      await whileResolved({ 'etcd.test': ['127.0.0.1'] }, () =>
        expectServed({ servers: [url.replace('127.0.0.1', 'etcd.test')], caFile: file('any-ca.crt') }),
      )
    })

    it('may be a name with several addresses, each of which is tried', async () => {
      const { url } = await started(...tls())
      const there = url.replace('127.0.0.1', 'etcd.test')
      await whileResolved({ 'etcd.test': ['127.0.0.2', '127.0.0.3', '127.0.0.1'] }, () => expectServed({ servers: [there], ...client() }))
    })

    it('are connected to with the current certificate files', async () => {
      const running = await started(...tls())
      const there = running.url.replace('127.0.0.1', 'etcd.test')
      await whileResolved({ 'etcd.test': ['127.0.0.1'] }, async () => {
        const backend = await openEtcd({ servers: [there], ...client() }, silentLogger)
        expect(await backend.currentRevision(never)).to.be.greaterThan(0)
        const [servers, clients] = [await authority(), await authority()]
        writeFileSync(file('ca.crt'), servers.cert)
        writeFileSync(file('clients.crt'), clients.cert)
        write(
          'server',
          await issueCertificate({ subject: [{ CN: ['etcd'] }], issuer: servers, usages: [SERVER_AUTH, CLIENT_AUTH], dns: ['etcd.test'] }),
        )
        const renewed = await issueCertificate({ subject: [{ CN: ['client'] }], issuer: clients, usages: [CLIENT_AUTH] })
        // A certificate without its key, as it is for a moment while files are replaced.
        writeFileSync(file('client.crt'), renewed.cert)
        await running.kill()
        await running.start()
        expect(await codeOf(backend.currentRevision(AbortSignal.timeout(1500)))).to.be.oneOf(['unavailable', 'timeout', 'aborted'])
        write('client', renewed)
        await eventually('the store is there again', () => backend.currentRevision(never).then(Boolean, () => false))
        await backend.close()
        await expectServed({ servers: [there], ...client() })
      })
    })
  })
