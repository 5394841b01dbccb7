import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import tls from 'node:tls'
import { expect } from 'chai'
import { createSecurePort } from '../../../../src/server/connections/listeners.ts'
import { chooseSuites } from '../../../../src/server/tls/cipher-suites.ts'
import { issueCa, issueServing, type KeyPair } from '../../../../src/server/tls/issue.ts'
import { ServingCertificates } from '../../../../src/server/tls/serving-certificates.ts'
import type { NamedCertificate } from '../../../../src/server/tls/tls-material.ts'
import { DEFAULT_TLS_POLICY, type TlsPolicy } from '../../../../src/server/tls/tls-policy.ts'

interface Listening {
  readonly certificates: ServingCertificates
  /** Common name of the certificate that a client receives. */
  shown(servername?: string): Promise<string>
  connect<T>(options: tls.ConnectionOptions, read: (socket: tls.TLSSocket) => T): Promise<T>
  change(change: Parameters<ServingCertificates['change']>[1]): void
  close(): void
}

let ca: KeyPair

async function listen(cert: KeyPair, named: readonly NamedCertificate[] = [], policy: TlsPolicy = DEFAULT_TLS_POLICY): Promise<Listening> {
  const certificates = new ServingCertificates({ ...cert, clientCa: ca.cert, named }, policy)
  const server = createSecurePort(() => {}, { certificates, http2: 'own' })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const connect = async <T>(options: tls.ConnectionOptions, read: (socket: tls.TLSSocket) => T): Promise<T> => {
    const socket = tls.connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ...options })
    try {
      await once(socket, 'secureConnect')
      return read(socket)
    } finally {
      socket.destroy()
    }
  }
  return {
    certificates,
    connect,
    async shown(servername) {
      const raw = await connect(servername === undefined ? {} : { servername }, socket => socket.getPeerCertificate(true).raw)
      const { subject } = new X509Certificate(raw)
      return subject.replace('CN=', '')
    },
    change: change => certificates.change([server], change),
    close: () => server.close(),
  }
}

/** A certificate with a common name and other names. */
const certificate = (commonName: string, ...dns: string[]): Promise<KeyPair> => issueServing(ca, commonName, { dns, ips: [] })
const named = async (pair: KeyPair, ...names: string[]): Promise<NamedCertificate> => ({ ...pair, names })

describe('ServingCertificates', () => {
  before(async () => {
    ca = await issueCa('ca')
  })

  /** Cases of k8s.io/apiserver's TestServerRunWithSNI. Names after `:` are those of the flag. */
  const cases: readonly {
    title: string
    ordinary: string[]
    others: { cert: string[]; names?: string[] }[]
    asks: string | undefined
    shows: string
  }[] = [
    { title: 'one certificate', ordinary: ['localhost'], others: [], asks: 'localhost', shows: 'localhost' },
    { title: 'a name of a certificate', ordinary: ['localhost'], others: [{ cert: ['test.com'] }], asks: 'test.com', shows: 'test.com' },
    { title: 'an alternative name', ordinary: ['localhost'], others: [{ cert: ['a.com', 'test.com'] }], asks: 'test.com', shows: 'a.com' },
    { title: 'in capitals', ordinary: ['localhost'], others: [{ cert: ['test.com'] }], asks: 'TEST.com', shows: 'test.com' },
    { title: 'a name of both', ordinary: ['o', 'test.com'], others: [{ cert: ['other', 'test.com'] }], asks: 'test.com', shows: 'other' },
    {
      title: 'a wildcard of the flag',
      ordinary: ['localhost'],
      others: [{ cert: ['w'], names: ['*.test.com'] }],
      asks: 'www.test.com',
      shows: 'w',
    },
    {
      title: 'two labels for one star',
      ordinary: ['localhost'],
      others: [{ cert: ['w'], names: ['*.test.com'] }],
      asks: 'a.b.test.com',
      shows: 'localhost',
    },
    {
      title: 'a name before a wildcard',
      ordinary: ['localhost'],
      others: [{ cert: ['w'], names: ['*.test.com'] }, { cert: ['a.test.com'] }],
      asks: 'a.test.com',
      shows: 'a.test.com',
    },
    {
      title: 'a name of the flag before one of a certificate',
      ordinary: ['localhost'],
      others: [{ cert: ['test.com'] }, { cert: ['x'], names: ['test.com'] }],
      asks: 'test.com',
      shows: 'x',
    },
    {
      title: 'the first of two',
      ordinary: ['localhost'],
      others: [{ cert: ['one', 'test.com'] }, { cert: ['two', 'test.com'] }],
      asks: 'test.com',
      shows: 'one',
    },
    { title: 'an unknown name', ordinary: ['localhost'], others: [{ cert: ['test.com'] }], asks: 'foo.com', shows: 'localhost' },
    {
      title: 'a name of a certificate that the flag has for another',
      ordinary: ['localhost'],
      others: [{ cert: ['c', 'test.com'], names: ['other.com'] }],
      asks: 'test.com',
      shows: 'c',
    },
    { title: 'no name', ordinary: ['localhost'], others: [{ cert: ['test.com'] }], asks: undefined, shows: 'localhost' },
    { title: 'an address', ordinary: ['localhost'], others: [{ cert: ['ip'], names: ['127.0.0.1'] }], asks: undefined, shows: 'ip' },
    {
      title: 'an unknown name at an address',
      ordinary: ['localhost'],
      others: [{ cert: ['ip'], names: ['127.0.0.1'] }],
      asks: 'foo.com',
      shows: 'localhost',
    },
    {
      title: 'another address',
      ordinary: ['localhost'],
      others: [{ cert: ['ip'], names: ['127.0.0.2'] }],
      asks: undefined,
      shows: 'localhost',
    },
  ]
  for (const { title, ordinary, others, asks, shows } of cases)
    it(`chooses the certificate for ${title}`, async () => {
      const issue = ([commonName = '', ...dns]: readonly string[]): Promise<KeyPair> => certificate(commonName, commonName, ...dns)
      const given = await Promise.all(others.map(async ({ cert, names = [] }) => named(await issue(cert), ...names)))
      const port = await listen(await issue(ordinary), given)
      try {
        expect(await port.shown(asks)).to.equal(shows)
      } finally {
        port.close()
      }
    })

  it('replaces certificates, and keeps the current ones if a key does not match', async () => {
    const [one, two, three] = await Promise.all(['one', 'two', 'three'].map(name => certificate(name, 'test.com')))
    const port = await listen(one!, [await named(one!, 'test.com')])
    try {
      port.change({ ...two!, named: [await named(three!, 'test.com')] })
      expect([await port.shown(), await port.shown('test.com')]).to.deep.equal(['two', 'three'])
      expect(() => port.change({ cert: one!.cert })).to.throw(/key values mismatch/)
      expect(() => port.change({ named: [{ cert: one!.cert, key: two!.key, names: [] }] })).to.throw(/key values mismatch/)
      port.change({ clientCa: ca.cert })
      expect([await port.shown(), await port.shown('test.com')]).to.deep.equal(['two', 'three'])
    } finally {
      port.close()
    }
  })

  describe('negotiates', () => {
    const handshakes: readonly { title: string; policy: Partial<TlsPolicy>; client: tls.ConnectionOptions; gets: RegExp }[] = [
      {
        title: 'no TLS 1.1 by default',
        policy: {},
        client: { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' },
        gets: /^Error/,
      },
      {
        title: 'TLS 1.0 if allowed',
        policy: { minVersion: 'TLSv1' },
        client: { minVersion: 'TLSv1', maxVersion: 'TLSv1', ciphers: 'ALL:@SECLEVEL=0' },
        gets: /^TLSv1 ECDHE-ECDSA-AES\d+-SHA$/,
      },
      { title: 'TLS 1.2 by default', policy: {}, client: { maxVersion: 'TLSv1.2' }, gets: /^TLSv1.2 / },
      { title: 'no TLS 1.2 if 1.3 is the minimum', policy: { minVersion: 'TLSv1.3' }, client: { maxVersion: 'TLSv1.2' }, gets: /^Error/ },
      {
        title: 'the suite that it may',
        policy: chooseSuites(['TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384']),
        client: { maxVersion: 'TLSv1.2' },
        gets: /^TLSv1.2 ECDHE-ECDSA-AES256-GCM-SHA384$/,
      },
      {
        title: 'Go’s order of suites',
        policy: chooseSuites(['TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305', 'TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384']),
        client: { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-ECDSA-AES256-GCM-SHA384' },
        gets: /^TLSv1.2 ECDHE-ECDSA-AES256-GCM-SHA384$/,
      },
      {
        title: 'TLS 1.3 alone, with suites of that alone',
        policy: chooseSuites(['TLS_AES_256_GCM_SHA384']),
        client: { maxVersion: 'TLSv1.2' },
        gets: /^Error/,
      },
      {
        title: 'all suites of TLS 1.3',
        policy: chooseSuites(['TLS_AES_256_GCM_SHA384']),
        client: {},
        gets: /^TLSv1.3 TLS_AES_128_GCM_SHA256$/,
      },
      { title: 'with the allowed groups', policy: { curves: 'P-384' }, client: { ecdhCurve: 'X25519:P-384' }, gets: /^TLSv1.3 / },
      { title: 'with no other groups', policy: { curves: 'P-384' }, client: { ecdhCurve: 'X25519' }, gets: /^Error/ },
    ]
    for (const { title, policy, client, gets } of handshakes)
      it(title, async () => {
        const port = await listen(await certificate('s', 'localhost'), [], { ...DEFAULT_TLS_POLICY, ...policy })
        try {
          const got = await port
            .connect(client, socket => `${socket.getProtocol()} ${socket.getCipher().name}`)
            .catch((error: Error) => `Error ${error.message}`)
          expect(got).to.match(gets)
        } finally {
          port.close()
        }
      })
  })
})
