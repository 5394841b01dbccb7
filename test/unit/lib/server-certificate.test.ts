import 'reflect-metadata'
import { once } from 'node:events'
import { createServer, request, type Server } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import * as x509 from '@peculiar/x509'
import { expect } from 'chai'
import { dialError } from '../../../src/lib/dial-error.ts'
import { authoritiesOf, connectTls } from '../../../src/lib/server-certificate.ts'
import { checkServerName } from '../../../src/lib/server-name.ts'
import { TlsAgent } from '../../../src/lib/tls-agent.ts'
import { trustedCertificates } from '../../../src/lib/trusted-certificates.ts'
import { ANY_PURPOSE, CLIENT_AUTH, type Issued, issueCertificate, SERVER_AUTH } from '../../support/certificates.ts'

const UNKNOWN = 'tls: failed to verify certificate: x509: certificate signed by unknown authority'
const EXPIRED = 'tls: failed to verify certificate: x509: certificate has expired or is not yet valid'
/** OpenSSL's last error, whatever it found earlier. */
const PURPOSE = 'unsuitable certificate purpose'
const HOUR_MS = 3_600_000

type More = Partial<Parameters<typeof issueCertificate>[0]>

describe('the certificate of a server', () => {
  let root: Issued
  const servers: Server[] = []
  before(async () => {
    root = await authority()
  })
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.close()
      server.closeAllConnections()
    }
  })

  const authority = (issuer?: Issued, more: More = {}): Promise<Issued> =>
    issueCertificate({ subject: [{ CN: [issuer ? 'between' : 'root'] }], ...(issuer && { issuer }), isAuthority: true, ...more })
  const leaf = (issuer: Issued | undefined, more: More = {}): Promise<Issued> =>
    issueCertificate({ subject: [{ CN: ['server'] }], ...(issuer && { issuer }), usages: [ANY_PURPOSE], dns: ['localhost'], ...more })

  async function serve(own: Issued, ...between: readonly Issued[]): Promise<number> {
    const cert = [own, ...between].map(each => each.cert).join('')
    const server = createServer({ cert, key: own.key }, (_, res) => void res.end('hello')).listen(0, '127.0.0.1')
    servers.push(server)
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }

  /** Result of a request: the body, or Go's error. `isResumed`: whether the TLS session was resumed. */
  function ask(port: number, agent: TlsAgent, believed: readonly Issued[]): Promise<{ said: string; isResumed: boolean }> {
    const tls = {
      ...trustedCertificates(believed.map(each => each.cert).join('')),
      servername: 'localhost',
      checkServerIdentity: checkServerName,
    }
    return new Promise(resolve => {
      request({ host: '127.0.0.1', port, agent, ...tls })
        .on('error', error => resolve({ said: dialError(error, 'h:1').message, isResumed: false }))
        .on('response', response => {
          const { socket } = response
          const isResumed = 'isSessionReused' in socket && typeof socket.isSessionReused === 'function' && socket.isSessionReused() === true
          response.on('data', (bytes: Buffer) => resolve({ said: bytes.toString(), isResumed }))
        })
        .end()
    })
  }
  const said = async (port: number, ...believed: readonly Issued[]): Promise<string> => (await ask(port, new TlsAgent(), believed)).said

  it('may allow any purpose', async () => {
    expect(await said(await serve(await leaf(root)), root)).to.equal('hello')
  })

  it('may allow any purpose below a CA for servers or for any purpose, sent or trusted', async () => {
    for (const usages of [[ANY_PURPOSE], [SERVER_AUTH]]) {
      const between = await authority(root, { usages })
      for (const own of [await leaf(between), await leaf(between, { usages: [SERVER_AUTH] })]) {
        expect(await said(await serve(own, between), root)).to.equal('hello')
        expect(await said(await serve(own), between)).to.equal('hello')
      }
    }
  })

  it('may be trusted directly', async () => {
    const own = await leaf(root)
    expect(await said(await serve(own), own)).to.equal('hello')
    const alone = await leaf(undefined)
    expect(await said(await serve(alone), alone)).to.equal('hello')
  })

  it('may have a key usage that does not match the handshake', async () => {
    const extensions = [new x509.KeyUsagesExtension(x509.KeyUsageFlags.dataEncipherment)]
    expect(await said(await serve(await leaf(root, { extensions, usages: [SERVER_AUTH] })), root)).to.equal('hello')
  })

  it('may have the name of its issuer, as those of webhooks built with knative.dev/pkg', async () => {
    const more: More = { subject: root.certificate.subjectName, usages: [SERVER_AUTH] }
    expect(await said(await serve(await leaf(root, more)), root)).to.equal('hello')
    const between = await authority(root, { subject: root.certificate.subjectName })
    for (const chain of [[await leaf(between), between] as const, [await leaf(between, more), between] as const])
      expect(await said(await serve(...chain), root)).to.equal('hello')
  })

  it('is verified by authorities with the name of an issuer, of which 16 are tried', async () => {
    const named = await Promise.all(Array.from({ length: 20 }, () => authority()))
    const others = await Promise.all([authority(root), authority(undefined, { subject: [{ CN: ['other'] }] })])
    const own = Buffer.from((await leaf(root)).certificate.rawData)
    const of = (bundle: readonly Issued[]): number => authoritiesOf([own], bundle.map(({ cert }) => cert).join('')).length
    expect(of([...others, root])).to.equal(1)
    expect(of([...others, ...named])).to.equal(16)
    expect(of(others)).to.equal(0)
    expect(authoritiesOf([own], root.cert.replace(/\n..../, '\nAAAA'))).to.deep.equal([])
  })

  it('is verified again on each connection', async () => {
    const port = await serve(await leaf(root))
    const agent = new TlsAgent()
    const first = await ask(port, agent, [root])
    const second = await ask(port, agent, [root])
    expect([first, second]).to.deep.equal([
      { said: 'hello', isResumed: false },
      { said: 'hello', isResumed: false },
    ])
  })

  it('is verified on a connection that was dialled elsewhere', async () => {
    for (const [believed, expected] of [
      [root, true],
      [await authority(), false],
    ] as const) {
      const socket = connect(await serve(await leaf(root)), '127.0.0.1')
      await once(socket, 'connect')
      const secure = connectTls({
        ...trustedCertificates(believed.cert),
        socket,
        servername: 'localhost',
        checkServerIdentity: checkServerName,
      })
      const isAccepted = await Promise.race([
        once(secure, 'secureConnect').then(() => true),
        once(secure, 'close').then(() => false),
      ]).catch(() => false)
      expect([isAccepted, secure.authorized]).to.deep.equal([expected, expected])
      secure.destroy()
    }
  })

  const refused: [what: string, chain: () => Promise<readonly Issued[]>, why: string][] = [
    ['of another authority of the same name', async () => [await leaf(await authority())], UNKNOWN],
    ['of another authority that is sent', async () => sent(await authority()), UNKNOWN],
    [
      'that only bears the name of its issuer',
      async () => [await leaf({ ...(await authority()), certificate: root.certificate })],
      UNKNOWN,
    ],
    ['that is self-issued', async () => [await leaf(undefined)], PURPOSE],
    [
      'that was issued by a certificate that is not a CA',
      async () => sent(await issueCertificate({ subject: [{ CN: ['between'] }], issuer: root })),
      PURPOSE,
    ],
    [
      'of another authority, with the name of its issuer',
      async () => [await leaf(await authority(), { subject: root.certificate.subjectName, usages: [SERVER_AUTH] })],
      UNKNOWN,
    ],
    [
      'of another authority that is sent and has the same name',
      async () => {
        const between = await authority(await authority(), { subject: root.certificate.subjectName })
        return [await leaf(between, { subject: root.certificate.subjectName, usages: [SERVER_AUTH] }), between]
      },
      UNKNOWN,
    ],
    ['that has expired', async () => [await leaf(root, { notBefore: Date.now() - 2 * HOUR_MS, notAfter: Date.now() - HOUR_MS })], EXPIRED],
    [
      'of another name',
      async () => [await leaf(root, { dns: ['other'] })],
      'tls: failed to verify certificate: x509: certificate is valid for other, not localhost',
    ],
    ['for clients alone', async () => [await leaf(root, { usages: [CLIENT_AUTH] })], PURPOSE],
    ['for any purpose below an authority for clients', async () => sent(await authority(root, { usages: [CLIENT_AUTH] })), PURPOSE],
    ['below an authority that allows none', async () => sent(await authority(await authority(root, { pathLength: 0 }))), PURPOSE],
    [
      'with an extension that is not understood',
      async () => [await leaf(root, { extensions: [new x509.Extension('1.2.3.4', true, new Uint8Array([5, 0]))] })],
      PURPOSE,
    ],
  ]
  const sent = async (issuer: Issued): Promise<readonly Issued[]> => [await leaf(issuer), issuer]
  for (const [what, chain, why] of refused)
    it(`is rejected: one ${what}`, async () => {
      const [own, ...between] = await chain()
      expect(await said(await serve(own as Issued, ...between), root)).to.equal(why)
    })
})
