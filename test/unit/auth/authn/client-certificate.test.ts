import 'reflect-metadata'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import tls from 'node:tls'
import * as x509 from '@peculiar/x509'
import { expect } from 'chai'
import type { Identity } from '../../../../src/auth/authn/authenticator.ts'
import { certificateUser } from '../../../../src/auth/authn/certificate-user.ts'
import { clientCertificate } from '../../../../src/auth/authn/client-certificate.ts'
import { PresentedCertificates } from '../../../../src/auth/authn/presented-certificates.ts'
import { createSecurePort } from '../../../../src/server/connections/listeners.ts'
import { ServingCertificates } from '../../../../src/server/tls/serving-certificates.ts'
import { ANY_PURPOSE, CLIENT_AUTH, type Issued, issueCertificate, SERVER_AUTH } from '../../../support/certificates.ts'

const MINUTE_MS = 60_000
const USERS_CERTIFICATE = { subject: [{ CN: ['alice'] }, { O: ['developers'] }], usages: [CLIENT_AUTH] }

describe('clientCertificate', () => {
  let ca: Issued
  let serving: Issued
  let now = 0
  /** CAs that replaced the first ones. */
  let authorities: readonly X509Certificate[] | undefined
  let port = 0
  let server: https.Server
  /** Whether Node shows the CAs that a client has sent. Node 24.21 hides them: see docs/distribution.md. */
  let showsChains = true
  before(async () => {
    ca = await issueCertificate({ subject: [{ CN: ['ca'] }], isAuthority: true })
    serving = await issueCertificate({ subject: [{ CN: ['localhost'] }], issuer: ca, usages: [SERVER_AUTH] })
    const authenticate = clientCertificate(
      () => now,
      () => authorities,
      undefined,
      new PresentedCertificates(true, () => [new X509Certificate(ca.cert)]),
    )
    server = createSecurePort(
      (req, res) => {
        const identity = authenticate({ headers: req.headers, socket: req.socket }) as Identity
        const name = typeof identity === 'object' ? [identity.name, identity.uid ?? []].flat().join(' with uid ') : String(identity)
        if ('writeHead' in res) res.writeHead(200, { 'Content-Length': Buffer.byteLength(name) }).end(name)
      },
      { certificates: new ServingCertificates({ cert: serving.cert, key: serving.key, clientCa: ca.cert }), http2: 'own' },
    )
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port

    server.once('secureConnection', (socket: tls.TLSSocket) => {
      showsChains = socket.getPeerCertificate(true).issuerCertificate !== undefined
    })
    const between = await issueCertificate({ subject: [{ CN: ['between'] }], issuer: ca, isAuthority: true })
    const leaf = await issueCertificate({ ...USERS_CERTIFICATE, issuer: between })
    now = Date.now()
    expect(await askOnce({ cert: leaf.cert + between.cert, key: leaf.key })).to.equal('alice')
  })
  beforeEach(() => {
    now = Date.now()
    authorities = undefined
  })
  after(() => server.close())

  const ask = (agent: https.Agent): Promise<string> =>
    new Promise((resolve, reject) => {
      https
        .get({ agent, port, host: '127.0.0.1' }, response => {
          let text = ''
          response.setEncoding('utf8').on('data', part => {
            text += part
          })
          response.on('end', () => resolve(text))
        })
        .on('error', reject)
    })

  const agentOf = (pair?: { cert: string; key: string }) =>
    new https.Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false, ...(pair && { cert: pair.cert, key: pair.key }) })

  async function askOnce(pair?: { cert: string; key: string }): Promise<string> {
    const agent = agentOf(pair)
    try {
      return await ask(agent)
    } finally {
      agent.destroy()
    }
  }

  it('returns the user of a certificate that the client CA has signed', async () => {
    expect(await askOnce(await issueCertificate({ ...USERS_CERTIFICATE, issuer: ca }))).to.equal('alice')
    expect(await askOnce()).to.equal('undefined')
  })

  it('rejects certificates for servers, of other CAs, and outside their validity', async () => {
    expect(await askOnce(serving)).to.equal('rejected')
    expect(await askOnce(await issueCertificate({ ...USERS_CERTIFICATE, usages: [SERVER_AUTH], issuer: ca }))).to.equal('rejected')
    expect(await askOnce(await issueCertificate(USERS_CERTIFICATE))).to.equal('rejected')
    expect(await askOnce(await issueCertificate({ ...USERS_CERTIFICATE, issuer: ca, notAfter: now - MINUTE_MS }))).to.equal('rejected')
    expect(await askOnce(await issueCertificate({ ...USERS_CERTIFICATE, issuer: ca, notBefore: now + MINUTE_MS }))).to.equal('rejected')
  })

  it('accepts a certificate without extended key usage, as Go does', async () => {
    expect(await askOnce(await issueCertificate({ subject: [{ CN: ['bob'] }], issuer: ca }))).to.equal('bob')
  })

  describe('purposes, as Go verifies them', () => {
    const user = [{ CN: ['alice'] }, { O: ['developers'] }]
    const authority = (name: string, more: Partial<Parameters<typeof issueCertificate>[0]> = {}): Promise<Issued> =>
      issueCertificate({ subject: [{ CN: [name] }], issuer: ca, isAuthority: true, ...more })
    /** The certificate with its intermediate CAs. */
    const askVia = (leaf: Issued, ...between: Issued[]): Promise<string> =>
      askOnce({ cert: [leaf, ...between].map(({ cert }) => cert).join(''), key: leaf.key })
    const keyUsage = (flags: number) => new x509.KeyUsagesExtension(flags, true)

    for (const usages of [[ANY_PURPOSE], [ANY_PURPOSE, SERVER_AUTH], [SERVER_AUTH, CLIENT_AUTH], ['1.2.3.4', CLIENT_AUTH]])
      it(`accepts a certificate for ${usages}`, async () =>
        expect(await askVia(await issueCertificate({ subject: user, issuer: ca, usages }))).to.equal('alice'))
    for (const usages of [[SERVER_AUTH], ['1.2.3.4'], ['2.5.29.37.1']])
      it(`rejects a certificate for ${usages}`, async () =>
        expect(await askVia(await issueCertificate({ subject: user, issuer: ca, usages }))).to.equal('rejected'))

    it('accepts a certificate with key usage encipherment', async () => {
      const extensions = [keyUsage(x509.KeyUsageFlags.keyEncipherment)]
      expect(await askVia(await issueCertificate({ subject: user, issuer: ca, usages: [CLIENT_AUTH], extensions }))).to.equal('alice')
    })

    it('requires every intermediate CA to allow client authentication or any purpose', async () => {
      for (const [usages, wanted] of [
        [[ANY_PURPOSE], 'alice'],
        [[SERVER_AUTH, ANY_PURPOSE], 'alice'],
        [[SERVER_AUTH], 'rejected'],
      ] as const) {
        const between = await authority('between', { usages })
        for (const own of [[ANY_PURPOSE], [CLIENT_AUTH], undefined])
          expect(
            await askVia(await issueCertificate({ subject: user, issuer: between, ...(own && { usages: own }) }), between),
            `${usages} ${own}`,
          ).to.equal(wanted)
      }
    })

    it('rejects a certificate for any purpose that is otherwise invalid', async () => {
      const other = await issueCertificate({ subject: [{ CN: ['ca'] }], isAuthority: true })
      const any = { subject: user, usages: [ANY_PURPOSE] }
      const notAuthority = await issueCertificate({ subject: [{ CN: ['no authority'] }], issuer: ca, usages: [ANY_PURPOSE] })
      const narrow = await authority('narrow', { pathLength: 0, usages: [ANY_PURPOSE] })
      const below = await authority('below', { issuer: narrow, usages: [ANY_PURPOSE] })
      const signsNothing = await authority('signs nothing', {
        usages: [ANY_PURPOSE],
        extensions: [keyUsage(x509.KeyUsageFlags.digitalSignature)],
      })
      // Only names of example.com, by a name constraint that OpenSSL would check.
      const constraint = new x509.Extension('2.5.29.30', true, Buffer.from('3011a00f300d820b6578616d706c652e636f6d', 'hex'))
      const constrained = await authority('constrained', { usages: [ANY_PURPOSE], extensions: [constraint] })
      const cases: readonly (readonly [name: string, leaf: Issued, ...between: Issued[]])[] = [
        ['expired', await issueCertificate({ ...any, issuer: ca, notAfter: now - MINUTE_MS })],
        ['not yet valid', await issueCertificate({ ...any, issuer: ca, notBefore: now + MINUTE_MS })],
        ['from another authority', await issueCertificate({ ...any, issuer: other })],
        ['from another authority whose certificate is sent along', await issueCertificate({ ...any, issuer: other }), other],
        ['self-signed', await issueCertificate(any)],
        ['from a certificate that is not a CA', await issueCertificate({ ...any, issuer: notAuthority }), notAuthority],
        ['below too long a path', await issueCertificate({ ...any, issuer: below }), below, narrow],
        ['from a CA that may not sign certificates', await issueCertificate({ ...any, issuer: signsNothing }), signsNothing],
        ['from a CA with name constraints', await issueCertificate({ ...any, issuer: constrained }), constrained],
        [
          'with an unknown critical extension',
          await issueCertificate({ ...any, issuer: ca, extensions: [new x509.Extension('1.2.3.4', true, Buffer.from('0500', 'hex'))] }),
        ],
      ]
      for (const [name, leaf, ...between] of cases) expect(await askVia(leaf, ...between), name).to.equal('rejected')
      expect(await askVia(await issueCertificate({ ...any, issuer: narrow }), narrow)).to.equal('alice')
    })
  })

  it('decodes names in the certificate', async () => {
    const of = async (subject: Parameters<typeof issueCertificate>[0]['subject']) =>
      askOnce(await issueCertificate({ subject, issuer: ca, usages: [CLIENT_AUTH] }))
    expect(await of([{ CN: ['first'] }, { CN: ['last'] }]), 'of several the last counts').to.equal('last')
    expect(await of([{ CN: ['one'], O: ['group'] }]), 'several in one relative name').to.equal('one')
    expect(await of([{ CN: ['admin\0.example'] }]), 'a NUL does not end it').to.equal('admin\0.example')
    expect(await of([{ CN: ['a\nCN=b'] }]), 'nothing is read out of a text').to.equal('a\nCN=b')
  })

  it('reads the UID of the user', async () => {
    const of = async (...uids: string[]) => {
      const subject = [{ CN: ['alice'] }, ...uids.map(uid => ({ '1.3.6.1.4.1.57683.2': [uid] }))]
      return askOnce(await issueCertificate({ subject, issuer: ca, usages: [CLIENT_AUTH] }))
    }
    expect(await of('client_id')).to.equal('alice with uid client_id')
    expect(await of('a', 'b')).to.equal('rejected')
  })

  it('ignores a certificate without common name', async () => {
    expect(await askOnce(await issueCertificate({ subject: [{ O: ['system:masters'] }], issuer: ca, usages: [CLIENT_AUTH] }))).to.equal(
      'undefined',
    )
  })

  it('accepts an RSA key of 1,024 bits, as Go does', async () => {
    const algorithm = { name: 'RSASSA-PKCS1-v1_5', modulusLength: 1024, publicExponent: new Uint8Array([1, 0, 1]), hash: 'SHA-256' }
    const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
    const { cert, key } = await issueCertificate({ ...USERS_CERTIFICATE, issuer: ca, keys })
    const agent = new https.Agent({ ca: ca.cert, cert, key, ciphers: 'DEFAULT:@SECLEVEL=0', checkServerIdentity: () => undefined })
    try {
      expect(await ask(agent)).to.equal('alice')
    } finally {
      agent.destroy()
    }
  })

  it('rejects a certificate that expires while its connection is open', async () => {
    const agent = agentOf(await issueCertificate({ ...USERS_CERTIFICATE, issuer: ca, notAfter: now + 10 * MINUTE_MS }))
    try {
      expect(await ask(agent)).to.equal('alice')
      now += 11 * MINUTE_MS
      expect(await ask(agent)).to.equal('rejected')
      now -= 11 * MINUTE_MS
      expect(await ask(agent)).to.equal('alice')
      now -= 120 * MINUTE_MS
      expect(await ask(agent), 'before it is valid').to.equal('rejected')
    } finally {
      agent.destroy()
    }
  })

  it('rejects a certificate if a CA of its chain expires while its connection is open', async () => {
    const between = await issueCertificate({
      subject: [{ CN: ['between'] }],
      issuer: ca,
      isAuthority: true,
      notAfter: now + 10 * MINUTE_MS,
    })
    const leaf = await issueCertificate({ ...USERS_CERTIFICATE, issuer: between })
    const underBetween = agentOf({ cert: leaf.cert + between.cert, key: leaf.key })
    const long = agentOf(await issueCertificate({ ...USERS_CERTIFICATE, issuer: ca, notAfter: now + 1000 * MINUTE_MS }))
    try {
      expect([await ask(underBetween), await ask(long)]).to.deep.equal(['alice', 'alice'])
      now += 11 * MINUTE_MS
      expect([await ask(underBetween), await ask(long)]).to.deep.equal([showsChains ? 'rejected' : 'alice', 'alice'])
      now += 60 * MINUTE_MS
      expect(await ask(long)).to.equal('rejected')
    } finally {
      underBetween.destroy()
      long.destroy()
    }
  })

  it('is not misled by a forged CA with a longer validity that the client sends', async () => {
    const leaf = await issueCertificate({ ...USERS_CERTIFICATE, issuer: ca, notAfter: now + 1000 * MINUTE_MS })
    const forged = await issueCertificate({ subject: [{ CN: ['ca'] }], isAuthority: true, notAfter: now + 1000 * MINUTE_MS })
    const agent = agentOf({ cert: leaf.cert + forged.cert, key: leaf.key })
    try {
      await ask(agent)
      now += 90 * MINUTE_MS
      expect(await ask(agent)).to.equal('rejected')
    } finally {
      agent.destroy()
    }
  })

  describe('after a change of the client CAs', () => {
    const read = (...issued: Issued[]): X509Certificate[] => issued.map(({ cert }) => new X509Certificate(cert))

    it('rejects certificates of a removed CA, also on open connections', async () => {
      const other = await issueCertificate({ subject: [{ CN: ['other'] }], isAuthority: true })
      const between = await issueCertificate({ subject: [{ CN: ['between'] }], issuer: ca, isAuthority: true })
      const leaf = await issueCertificate({ ...USERS_CERTIFICATE, issuer: between })
      const direct = agentOf(await issueCertificate({ ...USERS_CERTIFICATE, issuer: ca }))
      const under = agentOf({ cert: leaf.cert + between.cert, key: leaf.key })
      try {
        const both = async () => [await ask(direct), await ask(under)]
        expect(await both()).to.deep.equal(['alice', 'alice'])
        authorities = read(other)
        expect(await both()).to.deep.equal(['rejected', 'rejected'])
        authorities = read(other, ca)
        expect(await both()).to.deep.equal(['alice', showsChains ? 'alice' : 'rejected'])
        authorities = read(between)
        // It has issued the certificate itself, so the chain need not be known.
        expect(await both(), 'an authority between stands for itself').to.deep.equal(['rejected', 'alice'])
      } finally {
        direct.destroy()
        under.destroy()
      }
    })

    it('does not accept a leaf certificate as a CA', async () => {
      const other = await issueCertificate({ subject: [{ CN: ['other'] }], isAuthority: true })
      const pair = await issueCertificate({ ...USERS_CERTIFICATE, issuer: ca })
      const sameKey = await issueCertificate({ subject: [{ CN: ['ca'] }], issuer: other, keys: ca.keys })
      const agent = agentOf({ cert: pair.cert + sameKey.cert, key: pair.key })
      try {
        expect(await ask(agent)).to.equal('alice')
        authorities = read(other)
        expect(await ask(agent)).to.equal('rejected')
      } finally {
        agent.destroy()
      }
    })
  })

  for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const)
    it(`does not resume sessions over ${maxVersion}`, async () => {
      const pair = await issueCertificate({ ...USERS_CERTIFICATE, issuer: ca })
      let session: Buffer | undefined
      const reused: boolean[] = []
      for (let i = 0; i < 2; i++) {
        const socket = tls.connect({
          port,
          host: '127.0.0.1',
          rejectUnauthorized: false,
          maxVersion,
          cert: pair.cert,
          key: pair.key,
          ...(session && { session }),
        })
        socket.on('session', given => {
          session = given
        })
        await once(socket, 'secureConnect')
        reused.push(socket.isSessionReused())
        socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
        await once(socket.resume(), 'close')
      }
      expect(reused).to.deep.equal([false, false])
    })

  it('does not allow renegotiation, which could switch to an unverified certificate', async () => {
    const pair = await issueCertificate({ ...USERS_CERTIFICATE, issuer: ca })
    const socket = tls.connect({
      port,
      host: '127.0.0.1',
      rejectUnauthorized: false,
      maxVersion: 'TLSv1.2',
      cert: pair.cert,
      key: pair.key,
    })
    await once(socket, 'secureConnect')
    const outcome = await new Promise(resolve => {
      socket.on('error', () => resolve('refused'))
      socket.on('close', () => resolve('refused'))
      socket.renegotiate({ rejectUnauthorized: false }, error => resolve(error ? 'refused' : 'renegotiated'))
    })
    socket.destroy()
    expect(outcome).to.equal('refused')
  })
})

describe('userOf', () => {
  const fingerprint256 = 'AB:CD'
  const cases: readonly { title: string; subject: object; user: readonly [string, readonly string[]] | undefined }[] = [
    {
      title: 'takes organizations as groups, commas and all',
      subject: { CN: 'a', O: ['x,y', 'z'] },
      user: ['a', ['x,y', 'z', 'system:authenticated']],
    },
    { title: 'takes the last of several common names', subject: { CN: ['a', 'b'] }, user: ['b', ['system:authenticated']] },
    { title: 'keeps a NUL in a name', subject: { CN: 'admin\0x' }, user: ['admin\0x', ['system:authenticated']] },
    {
      title: 'reads nothing out of text that looks like another attribute',
      subject: { CN: 'a\nO=system:masters' },
      user: ['a\nO=system:masters', ['system:authenticated']],
    },
    { title: 'rejects a certificate without a common name', subject: { O: 'system:masters' }, user: undefined },
    { title: 'rejects an empty common name', subject: { CN: '', O: 'system:masters' }, user: undefined },
  ]
  for (const { title, subject, user } of cases)
    it(title, () => {
      const found = certificateUser({ subject: subject as tls.PeerCertificate['subject'], fingerprint256 })
      if (found === 'rejected') throw new Error('the certificate is rejected')
      expect(found && [found.name, found.groups]).to.deep.equal(user)
      if (found) expect(found.extra).to.deep.equal({ 'authentication.kubernetes.io/credential-id': ['X509SHA256=abcd'] })
    })

  const UID = '1.3.6.1.4.1.57683.2'
  const uids: readonly [what: string, subject: object, readsUid: boolean, uid: string | undefined][] = [
    ['is read', { CN: 'a', [UID]: 'client_id' }, true, 'client_id'],
    ['is ignored if the gate is off', { CN: 'a', [UID]: 'client_id' }, false, undefined],
    ['is optional', { CN: 'a' }, true, undefined],
    ['must not be empty', { CN: 'a', [UID]: '' }, true, 'rejected'],
    ['must not be set twice', { CN: 'a', [UID]: ['client_uid1', 'client_uid2'] }, true, 'rejected'],
    ['may be set twice if the gate is off', { CN: 'a', [UID]: ['client_uid1', 'client_uid2'] }, false, undefined],
  ]
  for (const [what, subject, readsUid, uid] of uids)
    it(`UID ${what}`, () => {
      const found = certificateUser({ subject: subject as tls.PeerCertificate['subject'], fingerprint256 }, readsUid)
      expect(found === 'rejected' ? found : found?.uid).to.equal(uid)
    })
})
