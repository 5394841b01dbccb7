import { once } from 'node:events'
import { type Agent, createServer, request } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { createSecureContext } from 'node:tls'
import { expect } from 'chai'
import { DialledTlsAgent } from '../../../src/lib/connect-proxy.ts'
import { KeptContext, trustInSteps } from '../../../src/lib/kept-context.ts'
import { BEGIN_CERTIFICATE } from '../../../src/lib/pem-certificates.ts'
import { TlsAgent } from '../../../src/lib/tls-agent.ts'
import { trustedCertificates } from '../../../src/lib/trusted-certificates.ts'
import { endTurn } from '../../../src/lib/turn.ts'
import { type Issued, issueCertificate, SERVER_AUTH } from '../../support/certificates.ts'
import { countedSteps } from '../../support/counted-steps.ts'

describe('the TLS context of an agent', () => {
  let root: Issued
  let other: Issued
  let own: Issued
  before(async () => {
    root = await issueCertificate({ subject: [{ CN: ['root'] }], isAuthority: true })
    other = await issueCertificate({ subject: [{ CN: ['other'] }], isAuthority: true })
    own = await issueCertificate({ subject: [{ CN: ['server'] }], issuer: root, usages: [SERVER_AUTH], dns: ['localhost'] })
  })

  it('is created again only if authorities, certificate or key differ', () => {
    const kept = new KeptContext()
    const trusted = { ...trustedCertificates(root.cert), cert: own.cert, key: own.key }
    const first = kept.of(trusted)
    expect(kept.of({ ...trusted })).to.equal(first)
    const second = kept.of({ ...trusted, ca: other.cert })
    expect(second).not.to.equal(first)
    expect(kept.of({ ...trustedCertificates(other.cert) })).not.to.equal(second)
  })

  it('throws for invalid authorities each time', () => {
    const kept = new KeptContext()
    const invalid = { cert: 'invalid', key: 'invalid' }
    for (let i = 0; i < 2; i++) expect(() => kept.of(invalid)).to.throw(/PEM/)
  })

  it('trusts many authorities in steps, equal ones once', () => {
    const { yields, result } = countedSteps(trustInSteps(createSecureContext(), [root.cert, other.cert, own.cert]))
    expect(yields).to.equal(3)
    expect(result.context).to.be.an('object')
    endTurn()
    const bundle = trustedCertificates(root.cert.repeat(3))
    expect(new KeptContext().of(bundle)).not.to.be.a('promise')
    expect(new KeptContext().of(trustedCertificates(root.cert + other.cert))).to.be.a('promise')
  })

  it('parses more than 16 authorities in turns of their own', () => {
    const many = Array.from({ length: 18 }, (_, i) => `${BEGIN_CERTIFICATE}\n${1000 + i}\n-----END CERTIFICATE-----\n`)
    expect(new KeptContext().of(trustedCertificates(many.join('')))).to.be.a('promise')
  })

  const agents: Readonly<Record<string, () => Agent>> = {
    TlsAgent: () => new TlsAgent(),
    DialledTlsAgent: () =>
      new DialledTlsAgent((host, port, done) => {
        const socket = connect(port, host, () => done(null, socket)).on('error', done)
      }, {}),
  }
  for (const [name, make] of Object.entries(agents)) {
    /** Reports for each PEM text, in order, whether a new connection of the agent that trusts it is established. */
    async function outcomes(bundles: readonly string[], beforeEach = () => {}): Promise<boolean[]> {
      const server = createServer({ cert: own.cert, key: own.key }, (_, res) => void res.end('hello')).listen(0, '127.0.0.1')
      await once(server, 'listening')
      const { port } = server.address() as AddressInfo
      const agent = make()
      const ask = (pem: string): Promise<boolean> =>
        new Promise(resolve => {
          request({ host: '127.0.0.1', port, agent, servername: 'localhost', ...trustedCertificates(pem) })
            .on('error', () => resolve(false))
            .on('response', response => response.resume().on('end', () => resolve(true)))
            .end()
        })
      try {
        const established: boolean[] = []
        for (const pem of bundles) {
          beforeEach()
          established.push(await ask(pem))
        }
        return established
      } finally {
        agent.destroy()
        server.close()
      }
    }

    it(`is that of the authorities of each connection of a ${name}`, async () => {
      const bundles = [root, root, other, root].map(({ cert }) => cert)
      expect(await outcomes(bundles)).to.deep.equal([true, true, false, true])
    })

    it(`trusts each authority of many, in several turns, for a ${name}`, async () => {
      const invalid = other.cert.replace(/\n..../, '\nAAAA')
      const bundles = [other.cert + invalid + root.cert, invalid + root.cert, other.cert + invalid]
      expect(await outcomes(bundles, endTurn)).to.deep.equal([true, true, false])
    })
  }
})
