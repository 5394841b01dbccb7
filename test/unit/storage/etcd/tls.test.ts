import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { silentLogger } from '../../../../src/lib/log.ts'
import { trustedCertificates } from '../../../../src/lib/trusted-certificates.ts'
import { UnaryConnections } from '../../../../src/protocols/grpc/unary-connections.ts'
import { decodeRange, encodeRange } from '../../../../src/storage/etcd/messages.ts'
import { openEtcd } from '../../../../src/storage/etcd/open-etcd.ts'
import type { Key } from '../../../../src/storage/revision.ts'
import { codeOf, never } from '../../../support/backend.ts'
import type { EtcdServer } from '../../../support/etcd.ts'
import { findEtcd, startEtcd } from '../../../support/etcd.ts'
import { eventually } from '../../../support/waiting.ts'

function whyNot(): string | undefined {
  if (!findEtcd()) return 'there is no etcd binary; hack/etcd installs one'
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' })
  } catch {
    return 'there is no openssl to make certificates'
  }
  return undefined
}

const skip = whyNot()
const suite = skip ? describe.skip : describe

suite(`etcd over TLS${skip ? ` (skipped: ${skip})` : ''}`, () => {
  let dir: string
  let server: EtcdServer
  const file = (name: string) => join(dir, name)
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: dir, stdio: 'ignore' })

  function issue(name: string): void {
    openssl('req', '-newkey', 'rsa:2048', '-nodes', '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`)
    openssl(
      'x509',
      '-req',
      '-in',
      `${name}.csr`,
      '-CA',
      'ca.crt',
      '-CAkey',
      'ca.key',
      '-CAcreateserial',
      '-out',
      `${name}.crt`,
      '-days',
      '2',
      '-extfile',
      'san',
    )
  }

  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'etcd-tls-'))
    writeFileSync(file('san'), 'subjectAltName=IP:127.0.0.1,DNS:localhost\n')
    openssl('req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', 'ca.key', '-out', 'ca.crt', '-days', '2', '-subj', '/CN=test-ca')
    issue('server')
    issue('client')
    server = await startEtcd([
      '--cert-file',
      file('server.crt'),
      '--key-file',
      file('server.key'),
      '--trusted-ca-file',
      file('ca.crt'),
      '--client-cert-auth',
    ])
  })
  after(async () => {
    await server?.stop()
    rmSync(dir, { recursive: true, force: true })
  })

  const spellings: [name: string, give: (name: string) => string][] = [
    ['files', name => file(name)],
    ['contents', name => readFileSync(file(name), 'utf8')],
  ]
  for (const [name, give] of spellings) {
    it(`accepts certificates as ${name}`, async () => {
      const backend = await openEtcd(
        { servers: [server.url], caFile: give('ca.crt'), certFile: give('client.crt'), keyFile: give('client.key') },
        silentLogger,
      )
      expect(await backend.currentRevision(never)).to.be.greaterThan(0)
      await backend.close()
    })
  }

  it('is reached with certificates of the same authority only', async () => {
    const read = (name: string) => readFileSync(file(name))
    const [ca, cert, key] = ['ca.crt', 'client.crt', 'client.key'].map(read) as [Buffer, Buffer, Buffer]
    const address = server.url.replace('https://', '')
    const right = new UnaryConnections({ userAgent: 'test', credentials: () => ({ ca, cert, key }) })
    const wrong = [
      new UnaryConnections({ userAgent: 'test', credentials: () => ({ ca }) }),
      new UnaryConnections({ userAgent: 'test', credentials: () => ({ cert, key }) }),
    ]
    const noneOfOthers = (): void => {
      for (const connections of wrong) expect(connections.to(address)).to.equal(undefined)
    }
    await eventually('a connection', () => {
      noneOfOthers()
      return right.to(address) !== undefined
    })
    const request = encodeRange({ start: 'health' as Key })
    const answer = await right.to(address)?.call('/etcdserverpb.KV/Range', request, { signal: never, deadline: Date.now() + 120_000 })
    expect(decodeRange(answer as Buffer).revision).to.be.greaterThan(0)
    // One that is opened after the others were refused, or would have been open.
    const later = new UnaryConnections({ userAgent: 'test', credentials: () => ({ ca, cert, key }) })
    await eventually('another connection', () => later.to(address) !== undefined)
    noneOfOthers()
    for (const connections of [right, later, ...wrong]) connections.close()
  })

  it('is trusted by its own certificate, without its authority', async () => {
    const own = { caFile: file('server.crt'), certFile: file('client.crt'), keyFile: file('client.key') }
    const backend = await openEtcd({ servers: [server.url], ...own, requestTimeoutMs: 5000 }, silentLogger)
    expect(await backend.currentRevision(never)).to.be.greaterThan(0)
    await backend.close()
  })

  it('is reached with its own certificate as the authority', async () => {
    const read = (name: string) => readFileSync(file(name))
    const connections = new UnaryConnections({
      userAgent: 'test',
      credentials: () => ({ ...trustedCertificates(read('server.crt')), cert: read('client.crt'), key: read('client.key') }),
    })
    const address = server.url.replace('https://', '')
    await eventually('a connection', () => connections.to(address) !== undefined)
    connections.close()
  })

  it('rejects a client without a certificate', async () => {
    const backend = await openEtcd({ servers: [server.url], caFile: file('ca.crt'), requestTimeoutMs: 500 }, silentLogger)
    expect(await codeOf(backend.currentRevision(never))).to.be.oneOf(['unavailable', 'timeout'])
    await backend.close()
  })

  it('is rejected if another authority has issued its certificate', async () => {
    const options = { servers: [server.url], certFile: file('client.crt'), keyFile: file('client.key'), requestTimeoutMs: 500 }
    const backend = await openEtcd(options, silentLogger)
    expect(await codeOf(backend.currentRevision(never))).to.be.oneOf(['unavailable', 'timeout'])
    await backend.close()
  })
})
