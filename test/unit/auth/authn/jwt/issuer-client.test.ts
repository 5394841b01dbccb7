import { expect } from 'chai'
import { issuerClient, issuerDial } from '../../../../../src/auth/authn/jwt/issuer-client.ts'
import { dialThrough } from '../../../../../src/lib/connect-proxy.ts'
import { ConnectProxyServer } from '../../../../support/connect-proxy-server.ts'
import { OidcServer } from '../../../../support/oidc-server.ts'

describe('issuerClient', () => {
  let issuer: OidcServer
  before(async () => {
    issuer = await OidcServer.start()
  })
  const ended = new AbortController()
  after(() => {
    ended.abort()
    issuer.close()
  })
  const faultOf = async (authority: string, url: string): Promise<string> =>
    issuerClient(authority, ended.signal)
      .get(url)
      .then(
        () => 'none',
        (error: Error) => error.message,
      )

  it('trusts only the given CA', async () => {
    const url = `${issuer.url}/keys`
    expect((await issuerClient(issuer.authority, ended.signal).get(url)).code).to.equal(200)
    expect(await faultOf('', url)).to.equal(
      `Get "${url}": tls: failed to verify certificate: x509: certificate signed by unknown authority`,
    )
  })

  it('follows up to ten redirects', async () => {
    const { body } = await issuerClient(issuer.authority, ended.signal).get(`${issuer.url}/moved`)
    expect(JSON.parse(body.toString())).to.have.property('issuer', issuer.url)
    const asked = issuer.asked.length
    expect(await faultOf(issuer.authority, `${issuer.url}/loop`)).to.equal(`Get "${issuer.url}/loop": stopped after 10 redirects`)
    expect(issuer.asked.length - asked).to.equal(11)
  })

  it('reports why there is no response', async () => {
    expect(await faultOf('', 'https://127.0.0.1:1/')).to.equal(
      'Get "https://127.0.0.1:1/": dial tcp 127.0.0.1:1: connect: connection refused',
    )
    expect(await faultOf('', 'file:///etc/passwd')).to.equal('Get "file:///etc/passwd": unsupported protocol scheme "file"')
    const gone = new AbortController()
    gone.abort()
    const late = await issuerClient('', gone.signal)
      .get('https://127.0.0.1:1/')
      .catch((error: Error) => error.message)
    expect(late).to.equal('Get "https://127.0.0.1:1/": context canceled')
  })

  it('uses the configured proxy', async () => {
    const proxy = await ConnectProxyServer.start()
    const dial = dialThrough({ at: { host: '127.0.0.1', port: proxy.port } })
    const url = `${issuer.url}/keys`
    expect(
      (await issuerClient(issuer.authority, ended.signal, issuerDial('cluster', { named: new Set(['cluster']), cluster: dial })).get(url))
        .code,
    ).to.equal(200)
    expect(proxy.asked).to.deep.equal([new URL(issuer.url).host])
    proxy.close()
  })

  it('requires the named egress to be configured', () => {
    expect(issuerDial('', {})).to.equal(undefined)
    expect(issuerDial('controlplane', { named: new Set(['controlplane']) })).to.equal(undefined)
    expect(() => issuerDial('cluster')).to.throw('oidc: egress lookup required with egress selector type "cluster"')
    expect(() => issuerDial('cluster', { named: new Set(['controlplane']) })).to.throw(
      'oidc: egress lookup for "cluster" is not configured',
    )
  })
})
