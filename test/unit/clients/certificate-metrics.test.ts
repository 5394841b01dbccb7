import { Agent } from 'node:https'
import { expect } from 'chai'
import { WebhookClients } from '../../../src/admission/webhooks/client.ts'
import { CertificateMetrics } from '../../../src/clients/certificate-metrics.ts'
import { post } from '../../../src/clients/post.ts'
import { askOver } from '../../../src/endpoints/connect/ask.ts'
import { annotationsOf } from '../../support/audit-record.ts'
import { issueCertificate, SERVER_AUTH } from '../../support/certificates.ts'
import { WebhookServer } from '../../support/webhooks/webhook-server.ts'

/** Cases: k8s.io/apiserver, pkg/util/x509metrics/server_cert_deprecations_test.go. */
const PREFIX = 'apiserver_webhooks_x509_'
const MISSING_SAN = 'relies on a legacy Common Name field instead of the SAN extension for subject validation'
const SHA1 = 'uses an insecure SHA-1 signature'

describe('CertificateMetrics', () => {
  const never = new AbortController().signal
  const servers: WebhookServer[] = []

  after(() => {
    for (const server of servers) server.close()
  })

  /** Certificate for `localhost`. */
  async function serverWith({ named, digest }: { readonly named: boolean; readonly digest?: 'SHA-1' }): Promise<WebhookServer> {
    const issuer = await issueCertificate({ subject: [{ CN: ['authority'] }], isAuthority: true })
    const { cert, key } = await issueCertificate({
      subject: [{ CN: ['localhost'] }],
      issuer,
      usages: [SERVER_AUTH],
      ...(named && { dns: ['localhost'] }),
      ...(digest && { digest }),
    })
    const server = await WebhookServer.startWith({ cert, key, ciphers: 'DEFAULT@SECLEVEL=0' }, issuer.cert)
    server.acts.set('/', () => ({}))
    servers.push(server)
    return server
  }

  const counted = (metrics: CertificateMetrics): Record<string, number> =>
    Object.fromEntries(
      metrics.families.flatMap(family => Array.from(family.samples(), ({ metricName, value }) => [metricName.replace(PREFIX, ''), value])),
    )

  for (const [what, flaws, refused, annotations] of [
    ['no name', { named: false }, 'certificate relies on legacy Common Name field, use SANs instead', { 'missing-san': MISSING_SAN }],
    [
      'a signature with SHA-1',
      { named: true, digest: 'SHA-1' },
      'certificate signed by unknown authority (possibly because of "x509: cannot verify signature: insecure algorithm SHA1")',
      { 'insecure-sha1': SHA1 },
    ],
    ['neither', { named: true }, undefined, {}],
  ] as const)
    it(`${what}: ${refused ?? 'trusted'}`, async () => {
      const server = await serverWith(flaws)
      const metrics = new CertificateMetrics('webhooks')
      const { record, annotations: noted } = annotationsOf()
      const clients = new WebhookClients(async () => ({ host: '127.0.0.1', port: server.port }), { certificates: metrics })
      const url = `https://localhost:${server.port}/`
      const text = await clients.post({ url, caBundle: server.caBundle }, '{}', { timeoutMs: 10_000, signal: never, audit: record }).then(
        () => undefined,
        (error: Error) => error.message,
      )
      clients.close()
      expect(text).to.equal(refused && `Post "${url}?timeout=10s": tls: failed to verify certificate: x509: ${refused}`)
      expect(noted).to.deep.equal(
        Object.fromEntries(Object.entries(annotations).map(([key, why]) => [`${key}.invalid-cert.kubernetes.io/localhost`, why])),
      )
      const expected = {
        missing_san_total: Number('missing-san' in annotations),
        insecure_sha1_total: Number('insecure-sha1' in annotations),
      }
      expect(counted(metrics)).to.deep.equal(expected)
    })

  it('counts every request if certificates are not verified', async () => {
    const server = await serverWith({ named: false, digest: 'SHA-1' })
    const metrics = new CertificateMetrics('webhooks')
    const agent = new Agent({ rejectUnauthorized: false, keepAlive: true })
    const to = { agent, host: '127.0.0.1', port: server.port, authority: 'localhost', serverName: 'localhost', path: '/', headers: {} }
    for (let i = 0; i < 2; i++) await post({ ...to, certificates: metrics.observer('localhost') }, '{}', never)
    agent.destroy()
    expect(counted(metrics)).to.deep.equal({ missing_san_total: 2, insecure_sha1_total: 2 })
  })

  for (const [rejectUnauthorized, text] of [
    [true, 'tls: failed to verify certificate: x509: certificate relies on legacy Common Name field, use SANs instead'],
    [false, '200'],
  ] as const)
    it(`counts proxied requests: ${text}`, async () => {
      const server = await serverWith({ named: false })
      const metrics = new CertificateMetrics('webhooks')
      const tls = { rejectUnauthorized, ALPNProtocols: ['http/1.1'], ca: Buffer.from(server.caBundle, 'base64') }
      const destination = {
        scheme: 'https',
        host: 'localhost',
        port: String(server.port),
        path: '/',
        query: '',
        trust: 'anything',
      } as const
      const asked = askOver({ tls, certificates: metrics.observer('localhost') }, destination, {
        method: 'GET',
        headers: [],
        signal: never,
      })
      expect(
        await asked.then(
          ({ response }) => String(response.resume().statusCode),
          (error: Error) => error.message,
        ),
      ).to.equal(text)
      expect(counted(metrics)).to.deep.equal({ missing_san_total: 1, insecure_sha1_total: 0 })
    })
})
